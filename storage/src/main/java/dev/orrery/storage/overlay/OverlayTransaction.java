package dev.orrery.storage.overlay;

import dev.orrery.lane.Lane;
import dev.orrery.storage.Change;
import dev.orrery.storage.CollectionIdentity;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.CommitResult;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.Receipt;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.Transaction;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** A transaction of any engine; see {@link Ground}. */
public final class OverlayTransaction implements Transaction {
  /** Of the first document that a transaction brings; no engine counts so far. */
  private static final long FIRST_RECORD_ID = 1L << 61;

  /** What a document takes besides its bytes, about. */
  private static final int DOCUMENT_BYTES = 300;

  private final Ground ground;
  private final Map<CollectionStore, OwnCollection> collections = new LinkedHashMap<>();

  /** In the order in which they were changed first. */
  private final List<OwnDocument> changed = new ArrayList<>();

  /** All changes, one by one, which followers are told if some changed more than once. */
  private final List<Change.OfDocument> steps = new ArrayList<>();

  private boolean hasDetours;
  private long nextRecordId = FIRST_RECORD_ID;
  private long nextVersion = -1;
  private long bytes;
  private boolean isEnded;

  public OverlayTransaction(Ground ground) {
    this.ground = ground;
  }

  private OwnCollection own(CollectionStore collection) {
    return collections.computeIfAbsent(collection, key -> new OwnCollection(key, ground));
  }

  @Override
  public List<PartitionStore> partitions(CollectionStore collection) {
    return own(collection).partitions();
  }

  @Override
  public PartitionStore partitionOf(CollectionStore collection, @Nullable RawValue partitionKey) {
    return own(collection).partitionOf(partitionKey);
  }

  @Override
  public boolean has(CollectionStore collection, IndexSpec index) {
    return ground.snapshot().has(collection, index);
  }

  @Override
  public boolean hasSame(Namespace namespace) {
    return ground.snapshot().hasSame(namespace);
  }

  @Override
  public long time() {
    return ground.snapshot().time();
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public boolean hasWritten() {
    return !changed.isEmpty();
  }

  @Override
  public CommitResult write(WriteBatch batch, WorkMeter meter) {
    Lane.requireMayWait();
    requireOpen();
    int size = batch.operations().size();
    var outcomes = new ArrayList<>(Collections.nCopies(size, WriteOutcome.NOT_APPLIED));
    int[] partitions = new int[size];
    for (int i = 0; i < size; i++) {
      Ground.Claimed done = writeIfThere(batch.operations().get(i), meter);
      outcomes.set(i, done.outcome());
      partitions[i] = done.partition();
      if (!done.outcome().isApplied() && batch.onFailure() != WriteBatch.OnFailure.CONTINUE) {
        break;
      }
    }
    return new CommitResult(Receipt.NONE, outcomes, partitions);
  }

  /** A collection that somebody dropped since has no place for a write any more. */
  private Ground.Claimed writeIfThere(WriteOperation operation, WorkMeter meter) {
    try {
      return write(operation, meter);
    } catch (StorageException e) {
      if (e.reason() != StorageException.Reason.COLLECTION_DROPPED) {
        throw e;
      }
      return new Ground.Claimed(WriteOutcome.CONFLICT, 0, 0, 0);
    }
  }

  private Ground.Claimed write(WriteOperation operation, WorkMeter meter) {
    if (operation instanceof WriteOperation.Insert insert) {
      return insert(insert, meter);
    } else if (operation instanceof WriteOperation.Replace replace) {
      var after = new After(replace.after(), replace.delta());
      return change(replace.collection(), replace.before(), after, meter);
    } else if (operation instanceof WriteOperation.Delete delete) {
      return change(delete.collection(), delete.before(), new After(null, null), meter);
    }
    throw new IllegalArgumentException("not an operation of ours: " + operation);
  }

  private Ground.Claimed insert(WriteOperation.Insert insert, WorkMeter meter) {
    CollectionStore collection = insert.collection();
    RawDocument document = insert.document();
    RawValue partitionKey = insert.key().partitionKey();
    byte[] key = collection.primaryKey(partitionKey, document.field("_id"));
    OverlayPartition partition = own(collection).partitionOf(partitionKey);
    OwnDocument own = own(collection).find(key);
    boolean isThere =
        own != null
            ? own.present() != null
            : Lane.await(partition.find(key, new WorkMeter())) != null;
    if (isThere && own == null && isGone(collection, partitionKey, key)) {
      return new Ground.Claimed(WriteOutcome.CONFLICT, partition.id(), 0, 0);
    }
    if (isThere) {
      var id = collection.info().indexes().get(0).spec();
      return new Ground.Claimed(WriteOutcome.duplicate(id, key), partition.id(), 0, 0);
    }
    var change = new Ground.Change(collection, key, null, document);
    Ground.Claimed claimed = claim(change, partition, nextRecordId);
    if (claimed.outcome().isApplied()) {
      if (own == null) {
        var place =
            new OwnDocument.Place(collection, partition, insert.key().epk(), key, nextRecordId++);
        own = take(new OwnDocument(place, null));
      }
      become(own, new After(document, null), claimed, meter);
    }
    return claimed;
  }

  private OwnDocument take(OwnDocument fresh) {
    changed.add(fresh);
    own(fresh.collection()).add(fresh);
    return fresh;
  }

  /** Whether somebody has deleted a document since that the transaction sees. */
  private static boolean isGone(
      CollectionStore collection, @Nullable RawValue partitionKey, byte[] key) {
    return Lane.await(collection.partitionOf(partitionKey).find(key, new WorkMeter())) == null;
  }

  /** Claims what a change needs, if its unique keys are free for others and for the transaction. */
  private Ground.Claimed claim(Ground.Change change, OverlayPartition partition, long recordId) {
    Ground.Claimed claimed = ground.claim(change);
    var seen = new SeenKeys(ground, change.collection(), partition);
    IndexSpec taken =
        claimed.outcome().isApplied() && change.after() != null
            ? seen.taken(change.before(), change.after(), recordId)
            : null;
    return taken == null
        ? claimed
        : new Ground.Claimed(WriteOutcome.conflict(taken), claimed.partition(), 0, 0);
  }

  /** What becomes of a document, null for nothing, and what is told of the difference. */
  private record After(@Nullable RawDocument document, @Nullable RawDocument delta) {}

  private Ground.Claimed change(
      CollectionStore collection, StoredDocument before, After after, WorkMeter meter) {
    RawValue partitionKey = collection.partitionKeyOf(before.document());
    byte[] key = collection.primaryKey(partitionKey, before.document().field("_id"));
    OwnDocument own = own(collection).find(key);
    if (own != null && !own.is(before.version())) {
      return new Ground.Claimed(WriteOutcome.CONFLICT, before.partition().id(), 0, 0);
    }
    var change = new Ground.Change(collection, key, before.document(), after.document);
    OverlayPartition partition = own(collection).partitionOf(partitionKey);
    Ground.Claimed claimed = claim(change, partition, before.recordId());
    if (claimed.outcome().isApplied()) {
      if (own == null) {
        String epk = collection.keyOf(before.document()).epk();
        var place = new OwnDocument.Place(collection, partition, epk, key, before.recordId());
        own = take(new OwnDocument(place, before));
        bytes += before.document().length();
      }
      become(own, after, claimed, meter);
      own.tell(after.delta);
    }
    return claimed;
  }

  private void become(OwnDocument own, After after, Ground.Claimed claimed, WorkMeter meter) {
    // Kept for long: not together with the message that brought it.
    RawDocument now = after.document == null ? null : after.document.compact();
    int written = now == null ? own.present().length() : now.length();
    bytes += DOCUMENT_BYTES + (now == null ? 0 : now.length());
    steps.add(step(own, now, after.delta, claimed));
    own(own.collection()).change(own, now, nextVersion--);
    hasDetours |= own.hasChangedTwice();
    meter.writeDocument(written, claimed.termsAdded(), claimed.termsRemoved());
  }

  /** What followers of changes may be told of a change. */
  private static Change.OfDocument step(
      OwnDocument own,
      @Nullable RawDocument after,
      @Nullable RawDocument delta,
      Ground.Claimed claimed) {
    RawDocument before = own.present();
    CollectionInfo info = own.collection().info();
    int terms = claimed.termsAdded() + claimed.termsRemoved();
    var image =
        new Change.Image(
            delta == null ? null : delta.compact(),
            info.keepsImages() ? before : null,
            new Change.Effort(before == null ? 0 : before.length(), terms, info.uniqueIndexes()));
    var identity = CollectionIdentity.of(info);
    if (after == null) {
      RawDocument key = documentKey(info.partitionKey(), own.collection(), before);
      return new Change.OfDocument(Change.Kind.DELETE, identity, key, image);
    }
    Change.Kind kind = before == null ? Change.Kind.INSERT : Change.Kind.REPLACE;
    return new Change.OfDocument(kind, identity, after, image);
  }

  private static RawDocument documentKey(
      @Nullable String path, CollectionStore collection, RawDocument document) {
    var key = new BsonDocument();
    RawValue value = collection.partitionKeyOf(document);
    if (value != null && path != null && !path.equals("_id")) {
      key.append(path, value.toBsonValue());
    }
    return RawDocument.of(key.append("_id", document.field("_id").toBsonValue()));
  }

  @Override
  public CompletionStage<CommitResult> commit(
      Supplier<List<WriteOperation>> also, WorkMeter meter) {
    Lane.requireMayWait();
    requireOpen();
    for (; ; ) {
      List<WriteOperation> operations = netOperations();
      if (operations == null) {
        return CompletableFuture.completedFuture(
            new CommitResult(Receipt.NONE, List.of(WriteOutcome.CONFLICT), new int[1]));
      }
      operations.addAll(also.get());
      if (operations.isEmpty()) {
        end();
        return CompletableFuture.completedFuture(
            new CommitResult(Receipt.NONE, List.of(), new int[0]));
      }
      List<Change.OfDocument> told = hasDetours ? steps : List.of();
      var batch = new WriteBatch(operations, WriteBatch.OnFailure.APPLY_NONE, told);
      CommitResult result = Lane.await(ground.commit(batch, meter));
      boolean isConflict =
          result.outcomes().stream().anyMatch(one -> one.status() == WriteOutcome.Status.CONFLICT);
      if (!isConflict) {
        end();
        return CompletableFuture.completedFuture(result);
      }
      // Somebody split a partition, or compaction moved a document: the claims still stand.
    }
  }

  /** What is to be done to the newest state; null when a collection has gone. */
  private @Nullable List<WriteOperation> netOperations() {
    var operations = new ArrayList<WriteOperation>();
    for (OwnDocument own : changed) {
      StoredDocument newest = own.base == null ? null : newest(own);
      if (!own.collection().exists() || own.base != null && newest == null) {
        return null;
      }
      WriteOperation operation = netOperation(own, newest);
      if (operation != null) {
        operations.add(operation);
      }
    }
    return operations;
  }

  private static @Nullable StoredDocument newest(OwnDocument own) {
    RawValue partitionKey = own.collection().partitionKeyOf(own.base.document());
    return Lane.await(
        own.collection().partitionOf(partitionKey).find(own.place.primaryKey(), new WorkMeter()));
  }

  private static @Nullable WriteOperation netOperation(
      OwnDocument own, @Nullable StoredDocument newest) {
    RawDocument present = own.present();
    if (newest == null) {
      return present == null ? null : new WriteOperation.Insert(own.collection(), present);
    }
    return present == null
        ? new WriteOperation.Delete(own.collection(), newest)
        : new WriteOperation.Replace(own.collection(), newest, present, own.delta());
  }

  private void requireOpen() {
    if (isEnded) {
      throw new IllegalStateException("the transaction has ended");
    }
  }

  private void end() {
    isEnded = true;
    bytes = 0;
    collections.clear();
    changed.clear();
    steps.clear();
    ground.release();
  }

  @Override
  public void close() {
    if (!isEnded) {
      end();
    }
  }
}
