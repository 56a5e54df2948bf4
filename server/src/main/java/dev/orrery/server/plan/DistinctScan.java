package dev.orrery.server.plan;

import dev.orrery.value.KeyEncoder;
import dev.orrery.value.KeyParts;
import java.util.Arrays;
import java.util.List;
import org.bson.BsonNull;
import org.bson.BsonUndefined;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * Reads of each value of an index field only the first entry, and seeks the next value.
 *
 * @param field which one; those before it are told apart as well
 * @param isFetched whether values are taken from documents: then every entry of null and undefined
 *     is read, as those are also the keys of documents without a value, and of empty arrays
 */
record DistinctScan(IndexScan scan, int field, boolean isFetched) implements PlanNode {
  private static final byte[] NULL = key(BsonNull.VALUE);
  private static final byte[] UNDEFINED = key(new BsonUndefined());

  private static byte[] key(BsonValue value) {
    return new KeyEncoder().append(value, false).toByteArray();
  }

  @Override
  public RowCursor open(PlanRun run) {
    var statistics = run.statisticsOf(this);
    var inner = PlanRun.of(run.execution(), true).on(run.partition());
    var entries = scan.open(inner);
    return new RowCursor() {
      private @Nullable Row last;

      @Override
      public @Nullable Row next() {
        if (last != null) {
          skipEqual(last);
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

  /** Goes to where the keys end that begin with the same values. */
  private void skipEqual(Row row) {
    byte[] key = row.entry().key();
    int start = 0;
    int end = 0;
    for (int i = 0; i <= field; i++) {
      start = end;
      end = KeyParts.end(key, start, scan.access().parts().get(i).isDescending());
    }
    if (isFetched && mayLackValue(Arrays.copyOfRange(key, start, end))) {
      return;
    }
    byte[] target = Arrays.copyOf(key, end + 1);
    target[end] = (byte) 0xFF;
    row.entry().cursor().seek(target);
  }

  private boolean mayLackValue(byte[] value) {
    if (scan.access().parts().get(field).isDescending()) {
      for (int i = 0; i < value.length; i++) {
        value[i] = (byte) ~value[i];
      }
    }
    return Arrays.equals(value, NULL) || Arrays.equals(value, UNDEFINED);
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
