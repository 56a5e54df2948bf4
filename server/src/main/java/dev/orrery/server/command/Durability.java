package dev.orrery.server.command;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** When a position of the log is safe on disk. */
@FunctionalInterface
public interface Durability {
  /** Nothing is written anywhere, so everything is durable: for servers without storage. */
  Durability IMMEDIATE = lsn -> CompletableFuture.completedFuture(null);

  /** Done once everything up to {@code lsn} is on disk; failed when it never will be. */
  CompletionStage<?> whenDurable(long lsn);
}
