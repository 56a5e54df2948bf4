package dev.orrery.server.plan;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The rows that a node of a plan gives in one run, one after the other. */
interface RowCursor {
  /** The next row, or null at the end. */
  @Nullable Row next();

  /** Gives back what the node and those below it hold. */
  default void close() {}

  /** The rows that pass, changed or not, each counted; null is what does not pass. */
  static RowCursor passing(
      RowCursor rows, StageStatistics statistics, Function<Row, @Nullable Row> pass) {
    return new RowCursor() {
      @Override
      public @Nullable Row next() {
        for (Row row = rows.next(); row != null; row = rows.next()) {
          Row passed = pass.apply(row);
          if (passed != null) {
            statistics.advanced++;
            return passed;
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
}
