package dev.orrery.server.plan;

import dev.orrery.value.KeyParts;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Of rows that an index gives in its order, the first of each value of a field; then the scan seeks
 * the next value. A row counts when it came through, so that a document which is gone when it is
 * fetched makes room for the next one with its value.
 *
 * @param input what comes of the entries of the scan
 * @param field which one of the index; those before it are told apart as well
 */
record FirstOfEachNode(PlanNode input, IndexScan scan, int field) implements PlanNode {
  private static final byte ABOVE = (byte) 0xFF;

  @Override
  public RowCursor open(PlanRun run) {
    var rows = input.open(run);
    return new RowCursor() {
      private byte @Nullable [] last;

      @Override
      public @Nullable Row next() {
        for (Row row = rows.next(); row != null; row = rows.next()) {
          byte[] value = prefix(row.entry().key());
          if (!Arrays.equals(value, last)) {
            last = value;
            row.entry().cursor().seek(behind(value));
            return row;
          }
        }
        return null;
      }

      @Override
      public void close() {
        rows.close();
      }
    };
  }

  private byte[] prefix(byte[] key) {
    int end = 0;
    for (int i = 0; i <= field; i++) {
      end = KeyParts.end(key, end, scan.access().parts().get(i).isDescending());
    }
    return Arrays.copyOf(key, end);
  }

  /** Where keys end that begin so; backwards, where it is a whole key, that key is met again. */
  private byte[] behind(byte[] prefix) {
    if (scan.isReverse()) {
      return prefix;
    }
    byte[] target = Arrays.copyOf(prefix, prefix.length + 1);
    target[prefix.length] = ABOVE;
    return target;
  }

  @Override
  public List<PlanNode> inputs() {
    return List.of(input);
  }

  @Override
  public void explain(StageExplanation explanation) {
    throw new IllegalStateException("its scan is explained as a DISTINCT_SCAN");
  }
}
