package dev.orrery.server.plan;

import dev.orrery.language.number.Numbers;
import java.util.List;

/** Ends after so many rows. */
record LimitNode(long limit, PlanNode input) implements PlanNode {
  @Override
  public RowCursor open(PlanRun run) {
    var statistics = run.statisticsOf(this);
    var rows = input.open(run);
    return new RowCursor() {
      @Override
      public Row next() {
        Row row = statistics.advanced == limit ? null : rows.next();
        if (row == null) {
          statistics.isAtEnd = true;
        } else {
          statistics.advanced++;
        }
        return row;
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
    explanation.stage("LIMIT").add("limitAmount", Numbers.intOrLong(limit));
  }
}
