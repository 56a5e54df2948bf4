package dev.orrery.server.plan;

import dev.orrery.value.KeyParts;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Merges scans of one index, each of which gives its entries in order, into one order.
 *
 * @param text the order as the user wrote it
 * @param from the first field of the keys that counts for the order; those before it are fixed
 * @param to behind the last field that counts
 */
record MergeSortNode(List<IndexScan> scans, RawDocument text, int from, int to)
    implements PlanNode {
  MergeSortNode {
    scans = List.copyOf(scans);
  }

  /** The next entry of a scan. */
  private record Head(byte[] key, int scan, Row row) {}

  private Comparator<Head> order() {
    Comparator<Head> ascending = Comparator.comparing(Head::key, Arrays::compareUnsigned);
    return (scans.get(0).isReverse() ? ascending.reversed() : ascending)
        .thenComparingInt(Head::scan);
  }

  @Override
  public RowCursor open(PlanRun run) {
    var statistics = run.statisticsOf(this);
    var cursors = new ArrayList<RowCursor>();
    scans.forEach(scan -> cursors.add(scan.open(run)));
    var heads = new PriorityQueue<>(order());
    return new RowCursor() {
      private int taken = -1;

      @Override
      public @Nullable Row next() {
        if (taken >= 0) { // only now, as an entry can be fetched until its scan moves on
          advance(taken);
        } else {
          for (int i = 0; i < cursors.size(); i++) {
            advance(i);
          }
        }
        Head first = heads.poll();
        statistics.isAtEnd = first == null;
        statistics.advanced += first == null ? 0 : 1;
        taken = first == null ? taken : first.scan;
        return first == null ? null : first.row;
      }

      private void advance(int scan) {
        Row row = cursors.get(scan).next();
        statistics.skipped++;
        if (row != null) {
          heads.add(new Head(sortKey(row.entry().key()), scan, row));
        }
      }
    };
  }

  private byte[] sortKey(byte[] key) {
    int start = 0;
    int end = 0;
    for (int i = 0; i < to; i++) {
      start = i == from ? end : start;
      end = KeyParts.end(key, end, scans.get(0).access().parts().get(i).isDescending());
    }
    return Arrays.copyOfRange(key, start, end);
  }

  @Override
  public List<PlanNode> inputs() {
    return List.copyOf(scans);
  }

  @Override
  public void explain(StageExplanation explanation) {
    explanation.stage("SORT_MERGE").add("sortPattern", text.toBsonDocument());
    explanation.count("dupsTested", statistics -> statistics.advanced);
    explanation.count("dupsDropped", statistics -> 0);
  }
}
