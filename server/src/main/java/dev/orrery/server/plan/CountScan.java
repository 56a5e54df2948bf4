package dev.orrery.server.plan;

import java.util.List;

/** Counts the entries of one range of an index. */
record CountScan(IndexScan scan) implements PlanNode {
  @Override
  public RowCursor open(PlanRun run) {
    var statistics = run.statisticsOf(this);
    var inner = PlanRun.of(run.execution(), true).on(run.partition());
    var entries = scan.open(inner);
    return () -> {
      Row row = entries.next();
      statistics.keysExamined = inner.statisticsOf(scan).keysExamined;
      statistics.skipped = inner.statisticsOf(scan).skipped;
      statistics.advanced += row == null ? 0 : 1;
      statistics.isAtEnd = row == null;
      return row;
    };
  }

  @Override
  public List<PlanNode> inputs() {
    return List.of();
  }

  @Override
  public void explain(StageExplanation explanation) {
    IndexScanExplanation.writeCount(scan, explanation);
  }
}
