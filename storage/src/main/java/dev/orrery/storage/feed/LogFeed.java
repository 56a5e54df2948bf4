package dev.orrery.storage.feed;

import dev.orrery.storage.ChangeFeed;
import dev.orrery.storage.Changes;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.catalog.PastCollections;
import dev.orrery.storage.log.Log;
import dev.orrery.storage.physical.Collections;
import java.util.function.LongConsumer;

/** The log of an engine as the feed of its changes. */
public final class LogFeed implements ChangeFeed {
  private final Log log;
  private final Collections collections;
  private final PastCollections past;

  public LogFeed(Log log, Collections collections, PastCollections past) {
    this.log = log;
    this.collections = collections;
    this.past = past;
  }

  @Override
  public Changes after(long time) {
    return after(time, Interest.ALL);
  }

  @Override
  public Changes after(long time, Interest interest) {
    long oldest = oldest();
    if (time < oldest) {
      throw trimmed(oldest);
    }
    var names = new CollectionNames(collections, past);
    return new LogChanges(log, time, names, interest, this::trimmed);
  }

  private StorageException trimmed() {
    return trimmed(oldest());
  }

  private static StorageException trimmed(long oldest) {
    return new StorageException(
        StorageException.Reason.LOG_TRIMMED,
        "changes are kept from Timestamp(%d, %d) on"
            .formatted(oldest >>> Integer.SIZE, oldest & 0xffff_ffffL));
  }

  @Override
  public long oldest() {
    return log.unbroken().time();
  }

  @Override
  public long newest() {
    return log.last().time();
  }

  @Override
  public Subscription listen(Runnable listener) {
    LongConsumer each = lsn -> listener.run();
    log.addListener(each);
    return () -> log.removeListener(each);
  }
}
