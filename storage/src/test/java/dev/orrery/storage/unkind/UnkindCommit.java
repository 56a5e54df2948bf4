package dev.orrery.storage.unkind;

import dev.orrery.storage.Change;
import dev.orrery.storage.CollectionIdentity;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.CommitResult;
import dev.orrery.storage.Receipt;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.catalog.CappedLimits;
import dev.orrery.storage.catalog.IndexKeyException;
import dev.orrery.storage.commit.Claims;
import dev.orrery.storage.index.IndexKeySet;
import dev.orrery.storage.structure.PrimaryKey;
import dev.orrery.storage.structure.PrimaryKeys;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One batch at work: each operation is done at once, and undone if the batch fails. */
final class UnkindCommit {
  /** What was done: a version that was added to a record. */
  private record Done(
      UnkindCollection collection, UnkindRecord record, boolean isNew, Change change) {}

  private final UnkindWorld world;
  private final WorkMeter meter;
  private final List<Done> done = new ArrayList<>();
  private final long sequence;
  private final @Nullable Object owner;
  private @Nullable RawDocument delta;

  /**
   * @param owner the transaction whose changes these are; null for none
   */
  UnkindCommit(UnkindWorld world, @Nullable Object owner, WorkMeter meter) {
    this.world = world;
    this.owner = owner;
    this.meter = meter;
    this.sequence = world.sequence + 1;
  }

  CommitResult run(WriteBatch batch) {
    Claims.Holder holder =
        world.claims.isEmpty()
            ? null
            : batch.operations().stream()
                .map(this::holder)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    if (holder != null) {
      int size = batch.operations().size();
      var outcomes = Collections.nCopies(size, WriteOutcome.claimed(holder.ended()));
      return new CommitResult(Receipt.NONE, outcomes, new int[size]);
    }
    var outcomes = new ArrayList<WriteOutcome>();
    try {
      boolean isStopped = false;
      int unlucky = world.isUnlucky() ? world.nextInt(batch.operations().size()) : -1;
      for (WriteOperation operation : batch.operations()) {
        WriteOutcome outcome = WriteOutcome.NOT_APPLIED;
        if (!isStopped) { // a conflict is as if the partition had just been split
          outcome = outcomes.size() == unlucky ? WriteOutcome.CONFLICT : apply(operation);
        }
        outcomes.add(outcome);
        isStopped |= !outcome.isApplied() && batch.onFailure() != WriteBatch.OnFailure.CONTINUE;
      }
      if (isStopped && batch.onFailure() == WriteBatch.OnFailure.APPLY_NONE) {
        undo();
        outcomes.replaceAll(one -> one.isApplied() ? WriteOutcome.NOT_APPLIED : one);
      }
    } catch (RuntimeException | Error e) {
      undo();
      throw e;
    }
    int[] partitions = batch.operations().stream().mapToInt(UnkindCommit::partition).toArray();
    if (done.isEmpty()) {
      return new CommitResult(Receipt.NONE, outcomes, partitions);
    }
    world.sequence = sequence;
    long time = world.clock.tick();
    world.feed.add(time, told(batch.steps()));
    done.forEach(one -> world.changed(one.collection, one.record));
    return new CommitResult(new UnkindReceipt(world, time), outcomes, partitions);
  }

  /** What was done, in the collections of the steps on the way on which it came about. */
  private List<Change> told(List<Change.OfDocument> steps) {
    var told = new ArrayList<Change>();
    for (Done one : done) {
      boolean isStepwise =
          steps.stream().anyMatch(step -> step.collection().id() == one.collection.info.id());
      if (!isStepwise) {
        told.add(one.change);
      }
    }
    told.addAll(steps);
    return told;
  }

  private Claims.@Nullable Holder holder(WriteOperation operation) {
    RawDocument before = null;
    RawDocument after = null;
    CollectionStore collection;
    if (operation instanceof WriteOperation.Insert insert) {
      collection = insert.collection();
      after = insert.document();
    } else if (operation instanceof WriteOperation.Replace replace) {
      collection = replace.collection();
      before = replace.before().document();
      after = replace.after();
    } else {
      var delete = (WriteOperation.Delete) operation;
      collection = delete.collection();
      before = delete.before().document();
    }
    return new UnkindGround.Touched((UnkindCollection) collection, before, after)
        .keys().stream()
            .map(key -> world.claims.other(key, owner))
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(null);
  }

  private static int partition(WriteOperation operation) {
    if (operation instanceof WriteOperation.Insert insert) {
      return insert.collection().ownerOf(insert.key()).id();
    }
    StoredDocument before =
        operation instanceof WriteOperation.Replace replace
            ? replace.before()
            : ((WriteOperation.Delete) operation).before();
    return before.partition().id();
  }

  private WriteOutcome apply(WriteOperation operation) {
    if (operation instanceof WriteOperation.Insert insert) {
      return insert((UnkindCollection) insert.collection(), insert);
    } else if (operation instanceof WriteOperation.Replace replace) {
      var collection = (UnkindCollection) replace.collection();
      collection.keys.ofReplacement(replace.before().document(), replace.after());
      delta = replace.delta();
      WriteOutcome outcome = change(collection, replace.before(), replace.after());
      delta = null;
      return outcome;
    }
    var delete = (WriteOperation.Delete) operation;
    return change((UnkindCollection) delete.collection(), delete.before(), null);
  }

  private WriteOutcome insert(UnkindCollection collection, WriteOperation.Insert insert) {
    var key = (PrimaryKey) insert.key();
    PrimaryKeys.requireNoArray(key.partitionKey());
    if (collection.isDropped) {
      return WriteOutcome.CONFLICT;
    }
    Map<Integer, IndexKeySet> keys;
    try {
      keys = UnkindWorld.keysOf(collection, insert.document());
    } catch (IndexKeyException e) {
      return WriteOutcome.unindexable(e);
    }
    if (collection.find(key.bytes(), UnkindWorld.NEWEST) != null) {
      var id = collection.info.indexes().get(0).spec();
      return WriteOutcome.duplicate(id, key.bytes());
    }
    var record = new UnkindRecord(world.nextId(), ++world.order, key);
    WriteOutcome refused = refusal(collection, record, keys, insert.document().length());
    if (refused != null) {
      return refused;
    }
    collection.add(record);
    add(collection, record, insert.document(), keys, true);
    pushOut(collection);
    return WriteOutcome.APPLIED;
  }

  private WriteOutcome change(
      UnkindCollection collection, StoredDocument before, @Nullable RawDocument after) {
    UnkindRecord record = collection.isDropped ? null : collection.byId.get(before.recordId());
    UnkindRecord.Version present = record == null ? null : record.at(UnkindWorld.NEWEST);
    if (present == null || present.token() != before.version() || present.sequence() == sequence) {
      return WriteOutcome.CONFLICT;
    }
    Map<Integer, IndexKeySet> keys = Map.of();
    if (after != null) {
      try {
        keys = UnkindWorld.keysOf(collection, after);
      } catch (IndexKeyException e) {
        return WriteOutcome.unindexable(e);
      }
      long growth = after.length() - before.document().length();
      WriteOutcome refused = refusal(collection, record, keys, growth);
      if (refused != null) {
        return refused;
      }
    }
    add(collection, record, after, keys, false);
    return WriteOutcome.APPLIED;
  }

  /** Why a version must not come; null if it may. */
  private @Nullable WriteOutcome refusal(
      UnkindCollection collection,
      UnkindRecord record,
      Map<Integer, IndexKeySet> keys,
      long growth) {
    for (UnkindIndex index : collection.indexes.values()) {
      boolean isUnique = index.entry.spec().isUnique() && !index.entry.spec().isIdIndex();
      if (!isUnique && !index.entry.spec().isPreparedUnique()) {
        continue;
      }
      List<byte[]> old = record.versions.isEmpty() ? List.of() : of(record.last().keys(), index);
      for (byte[] key : of(keys, index)) { // what it had before, it may keep
        boolean mayHave = UnkindIndex.has(old, key) || isOwned(collection, index, record, key);
        if (!mayHave && isTaken(index, key, record, isUnique)) {
          return WriteOutcome.duplicate(index.entry.spec(), key);
        }
      }
    }
    long limit = world.options.logicalPartitionBytes();
    boolean isFull = growth > 0 && collection.size(record.key).bytes + growth > limit;
    collection.count(record.key, 0, 0);
    return isFull ? WriteOutcome.partitionKeyFull(limit) : null;
  }

  /** Whether the transaction has seen to it that nobody else has the key. */
  private boolean isOwned(
      UnkindCollection collection, UnkindIndex index, UnkindRecord record, byte[] key) {
    return owner != null
        && world.claims.isHeldBy(UnkindGround.unique(collection, index, record.key, key), owner);
  }

  private boolean isTaken(UnkindIndex index, byte[] key, UnkindRecord record, boolean isUnique) {
    var from = new UnkindIndex.Entry(key, Long.MIN_VALUE);
    var to = new UnkindIndex.Entry(key, Long.MAX_VALUE);
    for (UnkindRecord other : index.entries.subMap(from, to).values()) {
      UnkindRecord.Version version = other.at(UnkindWorld.NEWEST);
      boolean isSameScope =
          !isUnique || Arrays.equals(other.key.logicalKey(), record.key.logicalKey());
      if (other != record && version != null && isSameScope && index.has(version, key)) {
        return true;
      }
    }
    return false;
  }

  private void add(
      UnkindCollection collection,
      UnkindRecord record,
      @Nullable RawDocument after,
      Map<Integer, IndexKeySet> keys,
      boolean isNew) {
    RawDocument before = isNew ? null : record.last().document();
    int terms = count(collection, record, isNew ? null : record.last(), after, keys);
    record.versions.add(new UnkindRecord.Version(sequence, world.nextId(), after, keys));
    keys.forEach((id, added) -> collection.indexes.get(id).add(record, added));
    long bytes = (after == null ? 0 : after.length()) - (before == null ? 0 : before.length());
    int documents = (after == null ? 0 : 1) - (before == null ? 0 : 1);
    collection.count(record.key, bytes, documents);
    int bytesBefore = before == null ? 0 : before.length();
    var effort = new Change.Effort(bytesBefore, terms, collection.info.uniqueIndexes());
    done.add(new Done(collection, record, isNew, told(collection, before, after, effort)));
  }

  private Change told(
      UnkindCollection collection,
      @Nullable RawDocument before,
      @Nullable RawDocument after,
      Change.Effort effort) {
    var identity = CollectionIdentity.of(collection.info);
    if (before == null) {
      return new Change.OfDocument(
          Change.Kind.INSERT, identity, after, new Change.Image(null, null, effort));
    }
    var image = new Change.Image(delta, collection.info.keepsImages() ? before : null, effort);
    return after == null
        ? new Change.OfDocument(
            Change.Kind.DELETE,
            identity,
            RawDocument.wrap(collection.keys.documentKey(before)),
            image)
        : new Change.OfDocument(Change.Kind.REPLACE, identity, after, image);
  }

  private int count(
      UnkindCollection collection,
      UnkindRecord record,
      UnkindRecord.@Nullable Version before,
      @Nullable RawDocument after,
      Map<Integer, IndexKeySet> keys) {
    int added = 0;
    int removed = 0;
    for (UnkindIndex index : collection.indexes.values()) {
      List<byte[]> old = of(before == null ? Map.of() : before.keys(), index);
      List<byte[]> fresh = of(keys, index);
      added += without(fresh, old);
      removed += without(old, fresh);
    }
    int bytes = after == null ? before.document().length() : after.length();
    meter.writeDocument(bytes, added, removed);
    return added + removed;
  }

  private static List<byte[]> of(Map<Integer, IndexKeySet> keys, UnkindIndex index) {
    IndexKeySet own = keys.get(index.entry.id());
    return own == null ? List.of() : own.keys();
  }

  private static int without(List<byte[]> keys, List<byte[]> others) {
    return (int) keys.stream().filter(key -> !UnkindIndex.has(others, key)).count();
  }

  private void pushOut(UnkindCollection collection) {
    CappedLimits limits = collection.info.cappedLimits();
    if (limits == null) {
      return;
    }
    var size = collection.partitions().get(0).statistics();
    var oldest = new ArrayList<UnkindRecord>();
    long documents = size.documents();
    long bytes = size.bytes();
    for (UnkindRecord record : collection.inOrder.values()) {
      UnkindRecord.Version version = record.at(UnkindWorld.NEWEST);
      boolean isNew = version != null && version.sequence() == sequence;
      if (isNew || limits.allow(documents, bytes)) {
        break; // what comes stays, even if it is too much
      }
      if (version != null) {
        oldest.add(record);
        documents--;
        bytes -= version.document().length();
      }
    }
    oldest.forEach(record -> add(collection, record, null, Map.of(), false));
  }

  private void undo() {
    for (int i = done.size() - 1; i >= 0; i--) {
      Done one = done.get(i);
      UnkindRecord.Version gone = one.record.versions.remove(one.record.versions.size() - 1);
      RawDocument before = one.isNew ? null : one.record.last().document();
      RawDocument after = gone.document();
      one.collection.count(
          one.record.key,
          (before == null ? 0 : before.length()) - (after == null ? 0 : after.length()),
          (before == null ? 0 : 1) - (after == null ? 0 : 1));
      gone.keys()
          .forEach(
              (id, keys) -> {
                UnkindIndex index = one.collection.indexes.get(id);
                keys.keys()
                    .forEach(
                        key -> index.entries.remove(new UnkindIndex.Entry(key, one.record.order)));
              });
      if (!one.isNew) {
        one.record
            .last()
            .keys()
            .forEach((id, keys) -> one.collection.indexes.get(id).add(one.record, keys));
      } else {
        one.collection.tidy(one.record);
      }
    }
    done.clear();
  }
}
