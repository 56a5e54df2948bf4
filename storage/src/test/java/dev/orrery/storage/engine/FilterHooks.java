package dev.orrery.storage.engine;

import dev.orrery.storage.SpecialKeys;
import dev.orrery.storage.StorageHooks;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.RawDocument;
import dev.orrery.value.StringOrder;
import java.util.function.Predicate;
import org.bson.BsonDocument;

/**
 * Filters of partial indexes that take every document, and let a test in between when they are
 * asked for one.
 */
final class FilterHooks implements StorageHooks {
  volatile Runnable whenAsked = () -> {};

  @Override
  public Predicate<RawDocument> filter(BsonDocument expression) {
    return document -> {
      whenAsked.run();
      return true;
    };
  }

  @Override
  public SpecialKeys specialKeys(IndexSpec index) {
    throw new UnsupportedOperationException("no keys for " + index);
  }

  @Override
  public StringOrder collation(BsonDocument collation) {
    return StringOrder.UTF8;
  }
}
