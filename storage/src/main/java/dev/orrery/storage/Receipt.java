package dev.orrery.storage;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What one change, or several, left to wait for; only an engine knows what is in it. */
public interface Receipt {
  /** Of nothing. */
  Receipt NONE =
      new Receipt() {
        @Override
        public CompletionStage<?> whenDurable() {
          return CompletableFuture.completedFuture(null);
        }

        @Override
        public long time() {
          return 0;
        }

        @Override
        public Receipt with(Receipt other) {
          return other;
        }
      };

  /** Completes when all of it survives a power cut. */
  CompletionStage<?> whenDurable();

  /** The cluster time of the last of the changes; 0 when there was none. */
  long time();

  /** Of this and of another change, of the same engine. */
  Receipt with(Receipt other);
}
