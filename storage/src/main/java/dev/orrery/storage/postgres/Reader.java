package dev.orrery.storage.postgres;

import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Where partitions are read: what is committed now, or at a point. */
interface Reader {
  /** Answers from another thread. */
  <T> CompletionStage<T> ask(Function<DatabaseSession, T> question);

  /** Answers in this thread. */
  <T> T wait(Function<DatabaseSession, T> question);

  /** The collection as it is there; null when it is no more. */
  @Nullable CollectionState state(PostgresCollection collection);

  /** Learns what has changed; false when nothing can. */
  boolean refresh(DatabaseSession session);
}
