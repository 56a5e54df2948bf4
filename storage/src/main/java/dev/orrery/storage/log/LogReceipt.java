package dev.orrery.storage.log;

import dev.orrery.storage.Receipt;
import java.util.concurrent.CompletionStage;

/** A place of the log: what lies before it is durable when the log is durable up to it. */
record LogReceipt(Log log, long lsn, long time) implements Receipt {
  @Override
  public CompletionStage<?> whenDurable() {
    return log.whenDurable(lsn);
  }

  @Override
  public Receipt with(Receipt other) {
    if (other == Receipt.NONE) {
      return this;
    }
    return ((LogReceipt) other).lsn > lsn ? other : this;
  }
}
