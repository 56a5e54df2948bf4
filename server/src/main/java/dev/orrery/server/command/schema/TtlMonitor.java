package dev.orrery.server.command.schema;

import dev.orrery.lane.Lane;
import dev.orrery.lane.Rounds;
import dev.orrery.server.command.ServerParameters;
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
import dev.orrery.storage.catalog.IndexField;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.FieldPath;
import dev.orrery.value.KeyEncoder;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
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
  private final Clock clock;
  private final Thread thread = Lane.BACKGROUND.thread("ttl", new Rounds(new Expiry()));
  private volatile boolean isStopped;

  public TtlMonitor(StorageEngine engine, ServerParameters parameters, Clock clock) {
    this.engine = engine;
    this.parameters = parameters;
    this.clock = clock;
    thread.setDaemon(true);
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

  private final class Expiry implements Rounds.Work {
    @Override
    public boolean await() throws InterruptedException {
      sleep();
      return !isStopped;
    }

    @Override
    public void run() {
      if (isEnabled()) {
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

  private boolean isEnabled() {
    BsonValue enabled = parameters.value("ttlMonitorEnabled");
    return enabled.isBoolean() && enabled.asBoolean().getValue();
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
    long deleted = 0;
    for (IndexSpec index : collection.info().readyIndexes()) {
      OptionalLong seconds = index.expireAfterSeconds();
      boolean isOrdered = index.fields().get(0).kind() == IndexField.Kind.ORDERED;
      if (seconds.isPresent() && isOrdered && index.fields().size() == 1) {
        long until = clock.millis() - seconds.getAsLong() * 1000;
        for (PartitionStore partition : collection.partitions()) {
          deleted += expire(collection, partition, index, until);
        }
      }
    }
    return deleted + expireMeasurements(collection);
  }

  private long expire(
      CollectionStore collection, PartitionStore partition, IndexSpec index, long until) {
    IndexField field = index.fields().get(0);
    IndexCursor cursor = partition.scan(index, range(field, until));
    var meter = new WorkMeter();
    var deletes = new ArrayList<WriteOperation>();
    long deleted = 0;
    while (!isStopped && cursor.awaitNext(meter)) {
      StoredDocument stored = Lane.await(partition.read(cursor.recordId(), meter));
      if (stored != null && isOver(field.path(), stored.document(), until)) {
        deletes.add(new WriteOperation.Delete(collection, stored));
      }
      if (deletes.size() == DELETES_PER_COMMIT) {
        deleted += commit(deletes, meter);
      }
    }
    return deleted + commit(deletes, meter);
  }

  /** All dates up to that one. */
  private static IndexRange range(IndexField field, long until) {
    boolean isDescending = field.isDescending();
    byte[] oldest = key(Long.MIN_VALUE, isDescending);
    byte[] newest = key(until, isDescending);
    return isDescending
        ? new IndexRange(newest, true, oldest, true, true)
        : new IndexRange(oldest, true, newest, true, false);
  }

  private static byte[] key(long millis, boolean isDescending) {
    return new KeyEncoder().append(new BsonDateTime(millis), isDescending).toByteArray();
  }

  /** The document may have changed since its index entry was read; the oldest date counts. */
  private static boolean isOver(FieldPath path, RawDocument document, long until) {
    return path.visit(
        document,
        FieldPath.LeafArrays.EXPAND,
        (value, position) ->
            value != null && value.type() == RawTypes.DATE && value.asInt64() <= until);
  }

  /** Time series expire as a whole collection, by their time field. */
  private long expireMeasurements(CollectionStore collection) {
    BsonDocument options = collection.info().options();
    if (!options.containsKey("timeseries") || !options.containsKey("expireAfterSeconds")) {
      return 0;
    }
    long seconds = options.getNumber("expireAfterSeconds").longValue();
    long until = clock.millis() - seconds * 1000;
    String time = options.getDocument("timeseries").getString("timeField").getValue();
    FieldPath path = FieldPath.parse(time);
    var meter = new WorkMeter();
    var deletes = new ArrayList<WriteOperation>();
    long deleted = 0;
    for (PartitionStore partition : collection.partitions()) {
      RecordCursor cursor = partition.scan(false);
      StoredDocument next;
      while (!isStopped && (next = cursor.awaitNext(meter)) != null) {
        if (isOver(path, next.document(), until)) {
          deletes.add(new WriteOperation.Delete(collection, next));
        }
        if (deletes.size() == DELETES_PER_COMMIT) {
          deleted += commit(deletes, meter);
        }
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
