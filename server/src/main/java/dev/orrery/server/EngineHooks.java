package dev.orrery.server;

import dev.orrery.server.store.QueryHooks;
import dev.orrery.storage.SpecialKeys;
import dev.orrery.storage.StorageHooks;
import dev.orrery.storage.StorageObserver;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.RawDocument;
import dev.orrery.value.StringOrder;
import java.util.function.Predicate;
import org.bson.BsonDocument;

/** What the engine asks of the server: the query language, and an end in case of its own. */
final class EngineHooks implements StorageHooks {
  private final QueryHooks queries = new QueryHooks();
  private final Host host;
  private final StorageObserver observer;
  private volatile boolean isDiskFull;

  EngineHooks(Host host, StorageObserver observer) {
    this.host = host;
    this.observer = observer;
  }

  @Override
  public StorageObserver observer() {
    return observer;
  }

  @Override
  public Predicate<RawDocument> filter(BsonDocument expression) {
    return queries.filter(expression);
  }

  @Override
  public StringOrder collation(BsonDocument collation) {
    return queries.collation(collation);
  }

  @Override
  public SpecialKeys specialKeys(IndexSpec index) {
    return queries.specialKeys(index);
  }

  /** Lets it be as if the disk were full, or no more. */
  void fillDisk(boolean isFull) {
    isDiskFull = isFull;
  }

  @Override
  public boolean isDiskFull() {
    return isDiskFull;
  }

  @Override
  public void failed(String part, Throwable cause) {
    host.failed(part, cause);
  }
}
