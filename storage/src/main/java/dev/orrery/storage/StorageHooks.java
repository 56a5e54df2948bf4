package dev.orrery.storage;

import dev.orrery.storage.value.RawDocument;
import dev.orrery.storage.value.StringOrder;
import java.util.function.Predicate;
import org.bson.BsonDocument;

/**
 * What storage needs of the query language to keep indexes, also when it rebuilds them by itself
 * after a crash: partial filters and collations.
 */
public interface StorageHooks {
  /** Compiles a {@code partialFilterExpression} that was accepted when the index was created. */
  Predicate<RawDocument> filter(BsonDocument expression);

  /** The order of strings under a collation that was accepted before. */
  StringOrder collation(BsonDocument collation);
}
