package dev.orrery.server.command.data;

import dev.orrery.lane.Lane;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.session.Session;
import dev.orrery.server.session.SessionId;
import dev.orrery.server.session.SessionTransaction;
import dev.orrery.server.session.Sessions;
import dev.orrery.server.session.Transactions;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.CommitResult;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.RecordCursor;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.time.Clock;
import java.util.List;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.UuidRepresentation;
import org.jspecify.annotations.Nullable;

/**
 * The documents of {@code config.transactions}, which say what the retryable writes of each session
 * did. docs/adr/0004-retryable-writes.md says why they are documents.
 */
public final class RetryRecords {
  private static final String PARTITION_KEY = "_id.id";
  private static final int PARTITIONS = 16;

  private final Databases databases;
  private final Clock clock;

  public RetryRecords(Databases databases, Clock clock) {
    this.databases = databases;
    this.clock = clock;
  }

  /** The collection, made with the first record. */
  private CollectionStore collection() {
    for (; ; ) {
      CollectionStore found = find();
      if (found != null) {
        return found;
      }
      // Without an index, even that on _id: records are read by key and cost no index terms. Over
      // several partitions, so that the writes of all sessions do not wait for one lock.
      var creation =
          new CollectionInfo.Creation(
              new BsonDocument(), PARTITION_KEY, List.of(), PARTITIONS, new BsonDocument());
      databases.engine().create(Databases.RETRY_RECORDS, creation);
    }
  }

  private @Nullable CollectionStore find() {
    return databases.find(Databases.RETRY_RECORDS.database(), Databases.RETRY_RECORDS.collection());
  }

  /** A record that is stored, or null. */
  @Nullable RetryRecord find(SessionId session, int block) {
    CollectionStore collection = find();
    StoredDocument stored = collection == null ? null : read(collection, session, block);
    return stored == null ? null : RetryRecord.of(stored.document().toBsonDocument());
  }

  /** Puts a record in the place of what is stored, as one part of a batch. */
  WriteOperation replace(SessionId session, int block, Change change) {
    CollectionStore collection = collection();
    StoredDocument stored = read(collection, session, block);
    RetryRecord before = stored == null ? null : RetryRecord.of(stored.document().toBsonDocument());
    BsonDocument after = change.apply(before).toBson(id(session, block), clock.millis());
    return stored == null
        ? new WriteOperation.Insert(collection, RawDocument.of(after))
        : new WriteOperation.Replace(collection, stored, RawDocument.of(after));
  }

  /** That a transaction was committed, as one part of the batch that commits it. */
  WriteOperation committed(SessionTransaction transaction) {
    return replace(
        transaction.origin().session(), 0, before -> RetryRecord.committed(transaction.number()));
  }

  /** What becomes of a record; null is one that does not exist yet. */
  @FunctionalInterface
  interface Change {
    RetryRecord apply(@Nullable RetryRecord before);
  }

  private static @Nullable StoredDocument read(
      CollectionStore collection, SessionId session, int block) {
    RawDocument named = RawDocument.of(new BsonDocument("_id", id(session, block)));
    RawValue key = collection.partitionKeyOf(named); // stores of earlier builds have none
    PartitionStore partition = collection.partitionOf(key);
    byte[] primaryKey = collection.primaryKey(key, named.field("_id"));
    return Lane.await(partition.find(primaryKey, new WorkMeter()));
  }

  private static BsonDocument id(SessionId session, int block) {
    return new BsonDocument("id", new BsonBinary(session.id()))
        .append("owner", new BsonString(session.owner()))
        .append("block", new BsonInt32(block));
  }

  /** Removes what a session that ended left. */
  public void forget(SessionId session) {
    CollectionStore collection = find();
    int block = 0;
    StoredDocument stored;
    while (collection != null && (stored = read(collection, session, block)) != null) {
      if (!delete(collection, stored)) {
        block++;
      }
    }
  }

  /** True when the record has to be read again. */
  private boolean delete(CollectionStore collection, StoredDocument stored) {
    StorageEngine engine = databases.engine();
    var delete = WriteBatch.of(new WriteOperation.Delete(collection, stored));
    CommitResult result = Lane.await(engine.commit(delete, new WorkMeter()));
    return result.outcomes().get(0).status() == WriteOutcome.Status.CONFLICT;
  }

  /** Takes up the sessions of the last run, and removes what is too old to be asked for. */
  public void load(Sessions sessions) {
    CollectionStore collection = find();
    if (collection == null) {
      return;
    }
    long oldest = clock.millis() - Sessions.TIMEOUT.toMillis();
    collection.partitions().forEach(partition -> load(collection, partition, oldest, sessions));
  }

  private void load(
      CollectionStore collection, PartitionStore partition, long oldest, Sessions sessions) {
    RecordCursor records = partition.scan(false);
    var meter = new WorkMeter();
    for (StoredDocument stored = records.awaitNext(meter);
        stored != null;
        stored = records.awaitNext(meter)) {
      BsonDocument document = stored.document().toBsonDocument();
      if (document.getDateTime("lastWriteDate").getValue() < oldest) {
        delete(collection, stored); // if it stays, the next start removes it
      } else {
        restore(sessions, document);
      }
    }
  }

  private static void restore(Sessions sessions, BsonDocument document) {
    RetryRecord record = RetryRecord.of(document);
    long number = record.txnNumber();
    Transactions transactions = sessions.transactions();
    Session session = sessions.use(sessionOf(document.getDocument("_id")));
    boolean isTransaction = record.isTransaction() && transactions != null;
    session.restore(number, isTransaction ? id -> transactions.restored(id, number) : null);
  }

  private static SessionId sessionOf(BsonDocument id) {
    BsonBinary uuid = id.getBinary("id");
    return new SessionId(
        uuid.asUuid(UuidRepresentation.STANDARD), id.getString("owner").getValue());
  }
}
