package dev.orrery.server.plan;

import dev.orrery.storage.value.KeyParts;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads of each value of an index field only the first entry, and seeks the next value.
 *
 * @param field which one; those before it are told apart as well
 */
record DistinctScan(IndexScan scan, int field) implements PlanNode {
  @Override
  public RowCursor open(Run run) {
    var statistics = run.statisticsOf(this);
    var inner = Run.of(run.execution(), true).on(run.partition());
    var entries = scan.open(inner);
    return new RowCursor() {
      private @Nullable Row last;

      @Override
      public @Nullable Row next() {
        if (last != null) {
          last.entry().cursor().seek(behind(last.entry().key()));
        }
        last = entries.next();
        statistics.keysExamined = inner.statisticsOf(scan).keysExamined;
        statistics.skipped = inner.statisticsOf(scan).skipped;
        statistics.advanced += last == null ? 0 : 1;
        statistics.isAtEnd = last == null;
        return last;
      }
    };
  }

  /** Where the keys end that begin with the same values. */
  private byte[] behind(byte[] key) {
    int end = 0;
    for (int i = 0; i <= field; i++) {
      end = KeyParts.end(key, end, scan.access().parts().get(i).isDescending());
    }
    byte[] target = Arrays.copyOf(key, end + 1);
    target[end] = (byte) 0xFF;
    return target;
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
