package dev.orrery.server.plan;

import dev.orrery.language.query.Projection;
import dev.orrery.language.query.SortPattern;
import dev.orrery.value.RawDocument;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.bson.BsonArray;
import org.bson.BsonDouble;
import org.bson.BsonInt64;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * Gives each row the form that the query asks for: a projection, and its record id if wanted.
 *
 * @param text the projection as the user wrote it
 * @param sort what {@code {$meta: "sortKey"}} shows; null without a sort
 */
record ProjectNode(
    @Nullable Projection projection,
    RawDocument text,
    boolean hasRecordId,
    @Nullable SortPattern sort,
    PlanNode input)
    implements PlanNode {
  @Override
  public RowCursor open(PlanRun run) {
    var statistics = run.statisticsOf(this);
    var rows = input.open(run);
    Set<String> metadata = projection == null ? Set.of() : projection.metadata();
    return new RowCursor() {
      @Override
      public Row next() {
        Row row = rows.next();
        if (row == null) {
          statistics.isAtEnd = true;
          return null;
        }
        statistics.advanced++;
        return row.withDocument(project(row, metadata));
      }

      @Override
      public void close() {
        rows.close();
      }
    };
  }

  private RawDocument project(Row row, Set<String> metadata) {
    RawDocument document =
        projection == null
            ? row.document()
            : projection.apply(row.document(), metadataOf(row, metadata));
    if (!hasRecordId) {
      return document;
    }
    var extended = document.toBsonDocument();
    extended.append("$recordId", new BsonInt64(row.stored().recordId()));
    return RawDocument.of(extended);
  }

  /** What {@code $meta} asks for, as far as there is such a thing. */
  private Map<String, BsonValue> metadataOf(Row row, Set<String> names) {
    if (names.isEmpty()) {
      return Map.of();
    }
    var found = new HashMap<String, BsonValue>();
    for (String name : names) {
      if (name.equals("recordId")) {
        found.put(name, new BsonInt64(row.stored().recordId()));
      } else if (name.equals("sortKey") && sort != null) {
        found.put(name, sortKey(row));
      } else if (name.equals("indexKey") && row.entry() != null) {
        found.put(name, ReturnKeyNode.keyOf(row));
      } else if (name.equals("randVal")) {
        found.put(name, new BsonDouble(ThreadLocalRandom.current().nextDouble()));
      } else if (row.metadata().containsKey(name)) {
        found.put(name, row.metadata().get(name));
      }
    }
    return found;
  }

  private BsonArray sortKey(Row row) {
    var values = new BsonArray();
    sort.values(row.stored().document(), row.metadata())
        .forEach(value -> values.add(value.toBsonValue()));
    return values;
  }

  @Override
  public List<PlanNode> inputs() {
    return List.of(input);
  }

  @Override
  public void explain(StageExplanation explanation) {
    boolean isSimple = projection != null && projection.isSimple() && isFlat();
    String simple = readsKeys(input) ? "PROJECTION_COVERED" : "PROJECTION_SIMPLE";
    explanation.stage(isSimple ? simple : "PROJECTION_DEFAULT");
    explanation.add("transformBy", text.toBsonDocument());
  }

  private static boolean readsKeys(PlanNode node) {
    return node instanceof KeyNode || node.inputs().stream().anyMatch(ProjectNode::readsKeys);
  }

  /** MongoDB's simple projection knows no dotted paths. */
  private boolean isFlat() {
    var fields = text.elements();
    while (fields.next()) {
      if (fields.name().indexOf('.') >= 0) {
        return false;
      }
    }
    return true;
  }
}
