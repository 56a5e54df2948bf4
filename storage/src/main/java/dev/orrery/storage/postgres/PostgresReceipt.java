package dev.orrery.storage.postgres;

import dev.orrery.storage.Receipt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Of what the database has acknowledged: it is as durable there as it will ever be. */
record PostgresReceipt(long time) implements Receipt {
  @Override
  public CompletionStage<?> whenDurable() {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public Receipt with(Receipt other) {
    return other == NONE || other.time() < time ? this : other;
  }
}
