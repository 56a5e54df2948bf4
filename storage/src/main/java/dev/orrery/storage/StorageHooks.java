package dev.orrery.storage;

import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.RawDocument;
import dev.orrery.value.StringOrder;
import java.util.function.Predicate;
import org.bson.BsonDocument;

/**
 * What storage needs of those above it: of the query language, to keep indexes, partial filters,
 * collations, words and shapes, also when it rebuilds them by itself after a crash; and somebody to
 * tell of its end.
 */
public interface StorageHooks {
  /** Compiles a {@code partialFilterExpression} that was accepted when the index was created. */
  Predicate<RawDocument> filter(BsonDocument expression);

  /** The order of strings under a collation that was accepted before. */
  StringOrder collation(BsonDocument collation);

  /** What the text and geo fields of an index give, which was accepted before. */
  SpecialKeys specialKeys(IndexSpec index);

  /** Is told what the engine does; asked for once, when it is opened. */
  default StorageObserver observer() {
    return StorageObserver.NONE;
  }

  /** Whether it shall be as if the disk were full; asked before each write, must not block. */
  default boolean isDiskFull() {
    return false;
  }

  /**
   * A part has ended without which the engine is only half alive. All who waited for it were told,
   * and every write is refused from now on: only a new start helps. Called once, must not block.
   */
  default void failed(String part, Throwable cause) {}
}
