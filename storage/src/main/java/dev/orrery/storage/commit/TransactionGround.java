package dev.orrery.storage.commit;

import dev.orrery.lane.Lane;
import dev.orrery.storage.CommitResult;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.View;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.index.IndexKeys;
import dev.orrery.storage.keyindex.KeyIndex;
import dev.orrery.storage.overlay.Ground;
import dev.orrery.storage.physical.ChronicleCollection;
import dev.orrery.storage.physical.PendingWrite;
import dev.orrery.storage.physical.PhysicalPartition;
import dev.orrery.storage.physical.PinnedView;
import dev.orrery.storage.structure.PartitionFiles;
import dev.orrery.storage.structure.PrimaryKey;
import dev.orrery.storage.structure.PrimaryKeys;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What a transaction of the embedded engine stands on. */
public final class TransactionGround implements Ground, Claims.Holder {
  /** Commits for a transaction. */
  @FunctionalInterface
  public interface OwnedCommit {
    CommitResult run(WriteBatch batch, Object owner, WorkMeter meter);
  }

  private final BatchCommit commits;
  private final OwnedCommit commit;
  private final Claims claims;
  private final PinnedView view;
  private final Function<IndexSpec, IndexKeys> keys;

  /** All keys that are claimed, and whether a document of the transaction has them. */
  private final Map<Claims.Key, Boolean> claimed = new HashMap<>();

  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  /**
   * @param view closed with the transaction
   */
  public TransactionGround(
      BatchCommit commits,
      OwnedCommit commit,
      PinnedView view,
      Function<IndexSpec, IndexKeys> keys) {
    this.commits = commits;
    this.commit = commit;
    this.claims = commits.claims();
    this.view = view;
    this.keys = keys;
  }

  @Override
  public View snapshot() {
    return view;
  }

  @Override
  public IndexKeys keys(IndexSpec index) {
    return keys.apply(index);
  }

  @Override
  public Claimed claim(Change change) {
    for (; ; ) {
      PendingWrite write = prepare(change);
      Lane.take(write.partition.lock);
      try {
        boolean isStale =
            write.partition.isRetired()
                || !write.partition.isDropped()
                    && write.partition.files().indexes() != write.indexes;
        if (!isStale) {
          WriteOutcome outcome = check(write);
          if (outcome.isApplied()) {
            hold(write);
          }
          return new Claimed(
              outcome, write.partition.id(), write.termsAdded(), write.termsRemoved());
        }
      } finally {
        write.partition.lock.unlock();
      }
    }
  }

  private static PendingWrite prepare(Change change) {
    var collection = (ChronicleCollection) change.collection();
    PrimaryKey key;
    if (change.before() == null) {
      key = (PrimaryKey) collection.keyOf(change.after());
      PrimaryKeys.requireNoArray(key.partitionKey());
    } else if (change.after() == null) {
      key = collection.keys().of(change.before());
    } else {
      key = collection.keys().ofReplacement(change.before(), change.after());
    }
    PhysicalPartition partition = collection.partitionOf(key);
    StoredDocument before =
        change.before() == null ? null : new StoredDocument(partition, 0, 0, change.before());
    return ChronicleCollection.prepare(partition, key, before, change.after());
  }

  private WriteOutcome check(PendingWrite write) {
    if (write.problem != null) {
      return WriteOutcome.unindexable(write.problem);
    }
    if (write.partition.isDropped()) {
      return WriteOutcome.CONFLICT;
    }
    write.partition.requireHealthy();
    PartitionFiles files = write.partition.files();
    long recordId = files.ids().find(write.primaryKey);
    if (!claims.isHeldBy(primary(write), this)
        && (claims.isHeldByOther(primary(write), this) || !isAsSeen(write, recordId))) {
      return WriteOutcome.CONFLICT;
    }
    for (PendingWrite.KeyChange change : write.changes) {
      for (byte[] key : change.added()) {
        WriteOutcome refusal = checkUnique(write, change, key, recordId);
        if (refusal != null) {
          return refusal;
        }
      }
    }
    long bytesMax = commits.logicalPartitionBytesMax();
    long growth = write.bytesAdded();
    boolean isFull = growth > 0 && files.statistics(write.logicalKey).bytes() + growth > bytesMax;
    return isFull ? WriteOutcome.partitionKeyFull(bytesMax) : WriteOutcome.APPLIED;
  }

  /** Whether the newest version is the one that the transaction sees. */
  private boolean isAsSeen(PendingWrite write, long recordId) {
    if (write.isInsert()) {
      return recordId == KeyIndex.ABSENT;
    }
    return recordId != KeyIndex.ABSENT && isSeen(write.partition, recordId);
  }

  private boolean isSeen(PhysicalPartition partition, long recordId) {
    return view.isNewest(partition, recordId);
  }

  private @Nullable WriteOutcome checkUnique(
      PendingWrite write, PendingWrite.KeyChange change, byte[] key, long recordId) {
    WriteOutcome duplicate = WriteOutcome.duplicate(change.index().spec(), key);
    KeyIndex unique = change.index().unique();
    if (unique == null) {
      boolean isTaken = change.index().isPreparedUnique() && change.index().hasOther(key, recordId);
      return isTaken ? duplicate : null;
    }
    Claims.Key claim = unique(write, change, key);
    Boolean isOwn = claimed.get(claim);
    if (isOwn != null) {
      return isOwn ? duplicate : null;
    }
    WriteOutcome conflict = WriteOutcome.conflict(change.index().spec());
    if (claims.isHeldByOther(claim, this)) {
      return conflict;
    }
    long holder = unique.find(claim.bytes());
    if (holder == KeyIndex.ABSENT || holder == recordId) {
      return null;
    }
    return isSeen(write.partition, holder) ? duplicate : conflict;
  }

  private void hold(PendingWrite write) {
    hold(primary(write), !write.isDelete());
    for (PendingWrite.KeyChange change : write.changes) {
      if (change.index().unique() != null) {
        change.removed().forEach(key -> hold(unique(write, change, key), false));
        change.added().forEach(key -> hold(unique(write, change, key), true));
      }
    }
  }

  private void hold(Claims.Key key, boolean isPresent) {
    claims.hold(key, this);
    claimed.put(key, isPresent);
  }

  private static Claims.Key primary(PendingWrite write) {
    return new Claims.Key(write.partition.collectionId(), Claims.PRIMARY, write.primaryKey);
  }

  static Claims.Key unique(PendingWrite write, PendingWrite.KeyChange change, byte[] key) {
    return new Claims.Key(
        write.partition.collectionId(), change.index().entry().id(), write.uniqueKey(key));
  }

  /** The open transaction other than {@code owner} that has what a write changes; or null. */
  static Claims.@Nullable Holder holder(Claims claims, PendingWrite write, @Nullable Object owner) {
    Claims.Holder holder = claims.other(primary(write), owner);
    if (holder != null) {
      return holder;
    }
    for (PendingWrite.KeyChange change : write.changes) {
      if (change.index().unique() != null) {
        for (byte[] key : change.added()) {
          holder = claims.other(unique(write, change, key), owner);
          if (holder != null) {
            return holder;
          }
        }
      }
    }
    return null;
  }

  @Override
  public CompletionStage<CommitResult> commit(WriteBatch batch, WorkMeter meter) {
    try {
      return CompletableFuture.completedFuture(commit.run(batch, this, meter));
    } catch (StorageException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public void release() {
    claimed.keySet().forEach(key -> claims.release(key, this));
    claimed.clear();
    view.close();
    ended.complete(null);
  }

  @Override
  public CompletionStage<?> ended() {
    return ended;
  }
}
