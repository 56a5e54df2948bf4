package dev.orrery.server.plan;

import dev.orrery.server.query.Projection;
import dev.orrery.storage.value.RawDocument;
import java.util.List;
import org.bson.BsonInt64;
import org.jspecify.annotations.Nullable;

/**
 * Gives each row the form that the query asks for: a projection, and its record id if wanted.
 *
 * @param text the projection as the user wrote it
 */
record ProjectNode(
    @Nullable Projection projection, RawDocument text, boolean hasRecordId, PlanNode input)
    implements PlanNode {
  @Override
  public RowCursor open(Run run) {
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
        return row.withDocument(project(row));
      }

      @Override
      public void close() {
        rows.close();
      }
    };
  }

  private RawDocument project(Row row) {
    RawDocument document = projection == null ? row.document() : projection.apply(row.document());
    if (!hasRecordId) {
      return document;
    }
    var extended = document.toBsonDocument();
    extended.append("$recordId", new BsonInt64(row.stored().recordId()));
    return RawDocument.of(extended);
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
