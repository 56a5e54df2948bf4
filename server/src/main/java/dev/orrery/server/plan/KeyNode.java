package dev.orrery.server.plan;

import dev.orrery.language.query.Filter;
import dev.orrery.storage.IndexCursor;
import dev.orrery.storage.StoredDocument;
import dev.orrery.value.RawDocument;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes documents of index entries, with the fields that a covered query wants. If an index comes
 * to hold what its keys cannot tell while the scan is under way, the documents are fetched.
 */
record KeyNode(Covering covering, Filter filter, PlanNode input) implements PlanNode {
  @Override
  public RowCursor open(PlanRun run) {
    var execution = run.execution();
    var statistics = run.statisticsOf(this);
    var entries = input.open(run);
    return () -> {
      for (Row row = entries.next(); row != null; row = entries.next()) {
        IndexCursor cursor = row.entry().cursor();
        RawDocument read = covering.read(row.entry().key(), cursor.fieldsSeen());
        StoredDocument one =
            read == null
                ? fetch(run, row.entry(), statistics)
                : new StoredDocument(run.partition(), cursor.recordId(), 0, read);
        if (one != null) {
          statistics.advanced++;
          return Row.of(row.entry(), one, -1);
        }
      }
      statistics.isAtEnd = true;
      return null;
    };
  }

  private @Nullable StoredDocument fetch(PlanRun run, Row.Entry entry, StageStatistics statistics) {
    var meter = run.execution().meter();
    StoredDocument one = run.execution().await(run.partition().read(entry.recordId(), meter));
    statistics.documentsExamined += one == null ? 0 : 1;
    return one != null && filter.matches(one.document()) ? one : null;
  }

  @Override
  public List<PlanNode> inputs() {
    return List.of(input);
  }

  /** Whether it stands for a projection; else one above it reads the keys, as MongoDB has it. */
  boolean isProjection() {
    return covering.isExact();
  }

  @Override
  public void explain(StageExplanation explanation) {
    boolean isFlat = covering.wanted().stream().noneMatch(path -> path.indexOf('.') >= 0);
    explanation.stage(isFlat ? "PROJECTION_COVERED" : "PROJECTION_DEFAULT");
    explanation.add("transformBy", covering.projection());
  }
}
