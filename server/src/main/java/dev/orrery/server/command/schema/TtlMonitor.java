package dev.orrery.server.command.schema;

import dev.orrery.lane.Lane;
import dev.orrery.lane.Rounds;
import dev.orrery.server.command.ServerParameters;
import dev.orrery.server.expiry.Deadlines;
import dev.orrery.server.expiry.Expiry;
import dev.orrery.server.store.StorageErrors;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.CommitResult;
import dev.orrery.storage.IndexCursor;
import dev.orrery.storage.IndexRange;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.RecordCursor;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.KeyEncoder;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDateTime;
import org.bson.BsonValue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes documents whose time is over: those whose date in the field of an index with {@code
 * expireAfterSeconds} is older than that. It works in small commits, so writers wait for one of
 * them at most, and reads each document again before it deletes it.
 */
public final class TtlMonitor implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TtlMonitor.class);
  private static final int DELETES_PER_COMMIT = 200;
  private static final long STOP_MILLIS = 5_000;

  private final StorageEngine engine;
  private final ServerParameters parameters;
  private final Expiry expiry;
  private final Thread thread = Lane.BACKGROUND.thread("ttl", new Rounds(new Deletion()));
  private volatile boolean isStopped;

  public TtlMonitor(StorageEngine engine, ServerParameters parameters, Expiry expiry) {
    this.engine = engine;
    this.parameters = parameters;
    this.expiry = expiry;
    thread.setDaemon(true);
  }

  /** What expires, as long as the parameter says so: who stops the deletion wants to see it all. */
  public static Expiry expiry(ServerParameters parameters, Clock clock, boolean isCosmos) {
    var expiry = new Expiry(clock, isCosmos);
    parameters.onChange((name, value) -> expiry.enabled(isEnabled(parameters)));
    return expiry;
  }

  /** Begins to work in the background, every {@code ttlMonitorSleepSecs}. */
  public void start() {
    parameters.onChange((name, value) -> wake(name));
    thread.start();
  }

  private synchronized void wake(String parameter) {
    if (parameter.startsWith("ttlMonitor")) {
      notifyAll();
    }
  }

  private final class Deletion implements Rounds.Work {
    @Override
    public boolean await() throws InterruptedException {
      sleep();
      return !isStopped;
    }

    @Override
    public void run() {
      if (isEnabled(parameters)) {
        runOnce();
      }
    }

    @Override
    public boolean mayGoOn(Throwable failure) {
      if (failure instanceof StorageException) {
        LOG.warn("expired documents could not be deleted; trying again later", failure);
      } else {
        LOG.error("expired documents could not be deleted; trying again later", failure);
      }
      return true;
    }
  }

  /** Sleeps the time that the parameter says; a change of it begins a new pause. */
  private synchronized void sleep() throws InterruptedException {
    if (isStopped) {
      return;
    }
    BsonValue seconds;
    do {
      seconds = parameters.value("ttlMonitorSleepSecs");
      wait(Math.max(1, seconds.asNumber().longValue()) * 1000);
    } while (!isStopped && !seconds.equals(parameters.value("ttlMonitorSleepSecs")));
  }

  /** Whether documents expire at all. */
  private static boolean isEnabled(ServerParameters parameters) {
    BsonValue enabled = parameters.value("ttlMonitorEnabled");
    return enabled.isBoolean() && enabled.asBoolean().getValue();
  }

  /** Lets it be so much later than the clock says; how many documents that deletes. */
  public long jump(long millis) {
    expiry.jump(millis);
    return millis == 0 ? 0 : runOnce();
  }

  /** Deletes everything that is over now; how many documents that were. */
  public long runOnce() {
    long deleted = 0;
    for (CollectionStore collection : engine.collections()) {
      if (isStopped) {
        return deleted;
      }
      try {
        deleted += expire(collection);
      } catch (StorageException e) {
        if (StorageErrors.isAlarming(e)) {
          throw e;
        }
        // The collection or the index was dropped; the others are still to be done.
      }
    }
    return deleted;
  }

  private long expire(CollectionStore collection) {
    Deadlines deadlines = expiry.of(collection.info());
    if (deadlines == null) {
      return 0;
    }
    long deleted = 0;
    for (PartitionStore partition : collection.partitions()) {
      if (deadlines.needsScan()) {
        deleted += scan(collection, partition, deadlines);
      }
      for (IndexSpec index : deadlines.indexes()) {
        deleted += scan(collection, partition, index, deadlines);
      }
    }
    return deleted;
  }

  /** By an index all are found whose date is old enough; one may have changed meanwhile. */
  private long scan(
      CollectionStore collection, PartitionStore partition, IndexSpec index, Deadlines deadlines) {
    IndexCursor cursor = partition.scan(index, range(index, expiry.millis()));
    var meter = new WorkMeter();
    var deletes = new ArrayList<WriteOperation>();
    long deleted = 0;
    while (!isStopped && cursor.awaitNext(meter)) {
      StoredDocument stored = Lane.await(partition.read(cursor.recordId(), meter));
      if (stored != null && deadlines.isOver(stored.document())) {
        deletes.add(new WriteOperation.Delete(collection, stored));
      }
      if (deletes.size() == DELETES_PER_COMMIT) {
        deleted += commit(deletes, meter);
      }
    }
    return deleted + commit(deletes, meter);
  }

  /** All dates that are so old. */
  private static IndexRange range(IndexSpec index, long now) {
    long until = now - index.expireAfterSeconds().getAsLong() * 1000;
    boolean isDescending = index.fields().get(0).isDescending();
    byte[] oldest = key(Long.MIN_VALUE, isDescending);
    byte[] newest = key(until, isDescending);
    return isDescending
        ? new IndexRange(newest, true, oldest, true, true)
        : new IndexRange(oldest, true, newest, true, false);
  }

  private static byte[] key(long millis, boolean isDescending) {
    return new KeyEncoder().append(new BsonDateTime(millis), isDescending).toByteArray();
  }

  /** Where a document says itself when it is over, or no index has its date. */
  private long scan(CollectionStore collection, PartitionStore partition, Deadlines deadlines) {
    RecordCursor cursor = partition.scan(false);
    var meter = new WorkMeter();
    var deletes = new ArrayList<WriteOperation>();
    long deleted = 0;
    StoredDocument next;
    while (!isStopped && (next = cursor.awaitNext(meter)) != null) {
      if (deadlines.isOver(next.document())) {
        deletes.add(new WriteOperation.Delete(collection, next));
      }
      if (deletes.size() == DELETES_PER_COMMIT) {
        deleted += commit(deletes, meter);
      }
    }
    return deleted + commit(deletes, meter);
  }

  /**
   * What changed meanwhile is left alone; the next round looks at it again. Waiting for the disk
   * keeps the deletes from running ahead of the log.
   */
  private long commit(List<WriteOperation> deletes, WorkMeter meter) {
    if (deletes.isEmpty()) {
      return 0;
    }
    var batch = new WriteBatch(deletes, WriteBatch.OnFailure.CONTINUE);
    CommitResult result = Lane.await(engine.commit(batch, meter));
    deletes.clear();
    Lane.await(result.receipt().whenDurable());
    return result.outcomes().stream().filter(WriteOutcome::isApplied).count();
  }

  @Override
  public void close() {
    isStopped = true;
    synchronized (this) {
      notifyAll();
    }
    try {
      thread.join(STOP_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
