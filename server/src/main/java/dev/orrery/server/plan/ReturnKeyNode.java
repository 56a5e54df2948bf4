package dev.orrery.server.plan;

import dev.orrery.server.plan.bounds.IndexAccess;
import dev.orrery.server.plan.bounds.IndexMatcher;
import dev.orrery.value.FieldPath;
import dev.orrery.value.KeyDecoder;
import dev.orrery.value.KeyEncoder;
import dev.orrery.value.KeyParts;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import dev.orrery.value.StringOrder;
import java.util.Arrays;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** Gives the index key that led to each document instead of the document; none without index. */
record ReturnKeyNode(PlanNode input) implements PlanNode {
  @Override
  public RowCursor open(PlanRun run) {
    var statistics = run.statisticsOf(this);
    var rows = input.open(run);
    return new RowCursor() {
      @Override
      public Row next() {
        Row row = rows.next();
        if (row == null) {
          statistics.isAtEnd = true;
          return null;
        }
        statistics.advanced++;
        return row.withDocument(RawDocument.of(keyOf(row)));
      }

      @Override
      public void close() {
        rows.close();
      }
    };
  }

  /** The key of the entry that led to a row, by the paths of its fields. */
  static BsonDocument keyOf(Row row) {
    var document = new BsonDocument();
    if (row.entry() == null) {
      return document;
    }
    IndexAccess access = row.entry().scan().access();
    StringOrder strings = IndexMatcher.stringsOf(access.index());
    byte[] key = row.entry().key();
    int start = 0;
    for (IndexAccess.Part part : access.parts()) {
      int end = KeyParts.end(key, start, part.isDescending());
      byte[] value = Arrays.copyOfRange(key, start, end);
      document.append(part.path(), valueOf(value, part, row, strings));
      start = end;
    }
    return document;
  }

  /** Keys forget the types of numbers, and collated text; the document has them. */
  private static BsonValue valueOf(
      byte[] encoded, IndexAccess.Part part, Row row, StringOrder strings) {
    var found = new RawValue[1];
    FieldPath.parse(part.path())
        .visit(
            row.stored().document(),
            FieldPath.LeafArrays.EXPAND,
            (value, index) -> {
              found[0] = value;
              return value != null
                  && Arrays.equals(
                      encoded,
                      new KeyEncoder(strings).append(value, part.isDescending()).toByteArray());
            });
    boolean isSame =
        found[0] != null
            && Arrays.equals(
                encoded,
                new KeyEncoder(strings).append(found[0], part.isDescending()).toByteArray());
    return isSame
        ? found[0].toBsonValue()
        : new KeyDecoder(encoded, new byte[0]).next(part.isDescending());
  }

  @Override
  public List<PlanNode> inputs() {
    return List.of(input);
  }

  @Override
  public void explain(StageExplanation explanation) {
    explanation.stage("RETURN_KEY");
  }
}
