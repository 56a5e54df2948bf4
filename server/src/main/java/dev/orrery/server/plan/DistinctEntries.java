package dev.orrery.server.plan;

import java.util.List;

/** The scan of an index that a {@link FirstOfEachNode} above moves on from value to value. */
record DistinctEntries(IndexScan scan) implements PlanNode {
  @Override
  public RowCursor open(PlanRun run) {
    var statistics = run.statisticsOf(this);
    var inner = PlanRun.of(run.execution(), true).on(run.partition());
    var entries = scan.open(inner);
    return new RowCursor() {
      @Override
      public Row next() {
        Row row = entries.next();
        statistics.keysExamined = inner.statisticsOf(scan).keysExamined;
        statistics.skipped = inner.statisticsOf(scan).skipped;
        statistics.advanced += row == null ? 0 : 1;
        statistics.isAtEnd = row == null;
        return row;
      }

      @Override
      public void close() {
        entries.close();
      }
    };
  }

  @Override
  public List<PlanNode> inputs() {
    return List.of();
  }

  @Override
  public void explain(StageExplanation explanation) {
    IndexScanExplanation.writeDistinct(scan, explanation);
  }
}
