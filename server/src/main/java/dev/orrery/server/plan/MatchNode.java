package dev.orrery.server.plan;

import dev.orrery.language.query.Filter;
import dev.orrery.language.query.MatchDetails;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lets documents pass that match, of those that the node below has read. */
record MatchNode(Filter filter, PlanNode input) implements PlanNode {
  @Override
  public RowCursor open(PlanRun run) {
    var statistics = run.statisticsOf(this);
    var rows = input.open(run);
    var details = new MatchDetails();
    return new RowCursor() {
      @Override
      public @Nullable Row next() {
        for (Row row = rows.next(); row != null; row = rows.next()) {
          details.reset();
          if (filter.matches(row.document(), details)) {
            statistics.advanced++;
            return row.withArrayIndex(details.arrayIndex());
          }
          statistics.skipped++;
        }
        statistics.isAtEnd = true;
        return null;
      }

      @Override
      public void close() {
        rows.close();
      }
    };
  }

  @Override
  public List<PlanNode> inputs() {
    return List.of(input);
  }

  /** MongoDB has no name for it but that of the node that would have read the documents. */
  @Override
  public void explain(StageExplanation explanation) {
    explanation.stage("FETCH").filter(filter);
    explanation.count("docsExamined", statistics -> 0);
    explanation.count("alreadyHasObj", statistics -> statistics.advanced + statistics.skipped);
  }
}
