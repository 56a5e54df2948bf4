package dev.orrery.server.plan;

import dev.orrery.language.number.Numbers;
import java.util.List;

/** Leaves out the first rows. */
record SkipNode(long skip, PlanNode input) implements PlanNode {
  @Override
  public RowCursor open(PlanRun run) {
    var statistics = run.statisticsOf(this);
    var rows = input.open(run);
    return new RowCursor() {
      @Override
      public Row next() {
        for (Row row = rows.next(); row != null; row = rows.next()) {
          if (statistics.skipped == skip) {
            statistics.advanced++;
            return row;
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

  @Override
  public void explain(StageExplanation explanation) {
    explanation.stage("SKIP").add("skipAmount", Numbers.intOrLong(skip));
  }
}
