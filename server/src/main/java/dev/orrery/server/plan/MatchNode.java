package dev.orrery.server.plan;

import dev.orrery.language.query.Filter;
import dev.orrery.language.query.MatchDetails;
import java.util.List;

/** Lets documents pass that match, of those that the node below has read. */
record MatchNode(Filter filter, PlanNode input) implements PlanNode {
  @Override
  public RowCursor open(PlanRun run) {
    var details = new MatchDetails();
    return RowCursor.passing(
        input.open(run),
        run.statisticsOf(this),
        row -> {
          details.reset();
          return filter.matches(row.document(), details)
              ? row.withArrayIndex(details.arrayIndex())
              : null;
        });
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
