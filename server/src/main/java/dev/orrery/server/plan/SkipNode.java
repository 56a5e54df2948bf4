package dev.orrery.server.plan;

import dev.orrery.language.number.Numbers;
import java.util.List;

/** Leaves out the first rows. */
record SkipNode(long skip, PlanNode input) implements PlanNode {
  /**
   * What leaves out the first rows of another node; entries of an index are left out before they
   * are fetched, if every one of them is a match: FETCH(IXSCAN) -> FETCH(SKIP(IXSCAN)).
   */
  static PlanNode over(PlanNode node, long skip) {
    if (node instanceof FetchNode fetch
        && fetch.input() instanceof IndexScan scan
        && CountPlan.isEmpty(fetch.residue())) {
      return new FetchNode(fetch.filter(), fetch.residue(), new SkipNode(skip, scan));
    }
    return node instanceof KeyNode key && key.input() instanceof IndexScan scan
        ? new KeyNode(key.covering(), key.filter(), new SkipNode(skip, scan))
        : new SkipNode(skip, node);
  }

  @Override
  public RowCursor open(PlanRun run) {
    var statistics = run.statisticsOf(this);
    return RowCursor.passing(
        input.open(run), statistics, row -> statistics.skipped == skip ? row : null);
  }

  @Override
  public List<PlanNode> inputs() {
    return List.of(input);
  }

  @Override
  public void explain(StageExplanation explanation) {
    explanation.stage("SKIP").add("skipAmount", Numbers.intOrLong(skip));
  }
}
