package dev.orrery.server.plan;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The entries of several index scans, one scan after the other, each record once. */
record UnionNode(List<PlanNode> inputs) implements PlanNode {
  UnionNode {
    inputs = List.copyOf(inputs);
  }

  @Override
  public RowCursor open(PlanRun run) {
    var statistics = run.statisticsOf(this);
    var remaining = inputs.iterator();
    var seen = new SeenRecords(run.execution().memory());
    return new RowCursor() {
      private @Nullable RowCursor current;

      @Override
      public Row next() {
        for (; ; ) {
          if (current == null) {
            if (!remaining.hasNext()) {
              statistics.isAtEnd = true;
              return null;
            }
            run.execution().checkInterruption(); // a scan that finds nothing does not look
            current = remaining.next().open(run);
          }
          Row row = current.next();
          if (row == null) {
            current.close();
            current = null;
          } else if (isNew(row)) {
            statistics.advanced++;
            return row;
          }
        }
      }

      @Override
      public void close() {
        seen.close();
        if (current != null) {
          current.close();
        }
      }

      private boolean isNew(Row row) {
        statistics.duplicatesTested++;
        boolean isNew = seen.add(row.entry().cursor().recordId());
        statistics.duplicatesDropped += isNew ? 0 : 1;
        statistics.skipped += isNew ? 0 : 1;
        return isNew;
      }
    };
  }

  @Override
  public void explain(StageExplanation explanation) {
    explanation.stage("OR");
    explanation.count("dupsTested", statistics -> statistics.duplicatesTested);
    explanation.count("dupsDropped", statistics -> statistics.duplicatesDropped);
  }
}
