package dev.orrery.storage.unkind;

import dev.orrery.storage.CommitResult;
import dev.orrery.storage.View;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.catalog.IndexKeyException;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.commit.Claims;
import dev.orrery.storage.index.IndexKeySet;
import dev.orrery.storage.index.IndexKeys;
import dev.orrery.storage.overlay.Ground;
import dev.orrery.storage.structure.PrimaryKey;
import dev.orrery.storage.structure.PrimaryKeys;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What a transaction of the unkind engine stands on. */
final class UnkindGround implements Ground, Claims.Holder {
  /** Keys that a change of a document takes or gives up. */
  record Touched(
      UnkindCollection collection, @Nullable RawDocument before, @Nullable RawDocument after) {
    PrimaryKey key() {
      return before == null ? (PrimaryKey) collection.keyOf(after) : collection.keys.of(before);
    }

    List<byte[]> keysOf(@Nullable RawDocument document, UnkindIndex index) {
      IndexKeySet keys = document == null ? null : index.keys.extract(document);
      return keys == null ? List.of() : keys.keys();
    }

    List<byte[]> added(UnkindIndex index) {
      return minus(keysOf(after, index), keysOf(before, index));
    }

    List<byte[]> removed(UnkindIndex index) {
      return minus(keysOf(before, index), keysOf(after, index));
    }

    private static List<byte[]> minus(List<byte[]> keys, List<byte[]> others) {
      return keys.stream()
          .filter(key -> others.stream().noneMatch(other -> Arrays.equals(key, other)))
          .toList();
    }

    List<UnkindIndex> uniques() {
      return collection.indexes.values().stream()
          .filter(one -> one.entry.spec().isUnique() && !one.entry.spec().isIdIndex())
          .toList();
    }

    Claims.Key primary() {
      return new Claims.Key(collection.info.id(), Claims.PRIMARY, key().bytes());
    }

    /** What nobody else may have claimed. */
    List<Claims.Key> keys() {
      var keys = new ArrayList<Claims.Key>();
      keys.add(primary());
      try {
        for (UnkindIndex index : uniques()) {
          added(index).forEach(key -> keys.add(unique(collection, index, key(), key)));
        }
      } catch (IndexKeyException e) {
        return keys; // the commit will say so
      }
      return keys;
    }
  }

  private final UnkindWorld world;
  private final UnkindView view;
  private final Map<Claims.Key, Boolean> claimed = new HashMap<>();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  UnkindGround(UnkindWorld world, UnkindView view) {
    this.world = world;
    this.view = view;
  }

  static Claims.Key unique(
      UnkindCollection collection, UnkindIndex index, PrimaryKey document, byte[] key) {
    return new Claims.Key(
        collection.info.id(), index.entry.id(), PrimaryKeys.uniqueKey(document.logicalKey(), key));
  }

  @Override
  public View snapshot() {
    return view;
  }

  @Override
  public IndexKeys keys(IndexSpec index) {
    return world.keys(index);
  }

  @Override
  public Claimed claim(Change change) {
    return world.wait(
        () -> {
          var collection = (UnkindCollection) change.collection();
          var touched = new Touched(collection, change.before(), change.after());
          int partition = collection.partitionOf(touched.key().partitionKey()).id();
          return new Claimed(claim(touched), partition, 1, 0);
        });
  }

  private WriteOutcome claim(Touched touched) {
    if (touched.before() == null) {
      PrimaryKeys.requireNoArray(touched.key().partitionKey());
    } else if (touched.after() != null) {
      touched.collection().keys.ofReplacement(touched.before(), touched.after());
    }
    try {
      WriteOutcome refused = refusal(touched);
      if (refused != null) {
        return refused;
      }
    } catch (IndexKeyException e) {
      return WriteOutcome.unindexable(e);
    }
    hold(touched.primary(), touched.after() != null);
    for (UnkindIndex index : touched.uniques()) {
      touched.removed(index).forEach(key -> hold(unique(touched, index, key), false));
      touched.added(index).forEach(key -> hold(unique(touched, index, key), true));
    }
    return WriteOutcome.APPLIED;
  }

  private static Claims.Key unique(Touched touched, UnkindIndex index, byte[] key) {
    return unique(touched.collection(), index, touched.key(), key);
  }

  private @Nullable WriteOutcome refusal(Touched touched) {
    UnkindCollection collection = touched.collection();
    if (collection.isDropped || world.claims.isHeldByOther(touched.primary(), this)) {
      return WriteOutcome.CONFLICT;
    }
    UnkindRecord newest = collection.find(touched.key().bytes(), UnkindWorld.NEWEST);
    if (!claimed.containsKey(touched.primary())) {
      boolean isAsSeen =
          touched.before() == null
              ? newest == null
              : newest != null && newest.last().sequence() <= view.sequence;
      if (!isAsSeen) {
        return WriteOutcome.CONFLICT;
      }
    }
    for (UnkindIndex index : collection.indexes.values()) {
      touched.added(index); // refuses what cannot be indexed
    }
    for (UnkindIndex index : touched.uniques()) {
      for (byte[] key : touched.added(index)) {
        WriteOutcome refused = refusal(touched, index, key, newest);
        if (refused != null) {
          return refused;
        }
      }
    }
    return null;
  }

  private @Nullable WriteOutcome refusal(
      Touched touched, UnkindIndex index, byte[] key, @Nullable UnkindRecord newest) {
    WriteOutcome duplicate = WriteOutcome.duplicate(index.entry.spec(), key);
    Claims.Key claim = unique(touched, index, key);
    Boolean isOwn = claimed.get(claim);
    if (isOwn != null) {
      return isOwn ? duplicate : null;
    }
    WriteOutcome conflict = WriteOutcome.conflict(index.entry.spec());
    if (world.claims.isHeldByOther(claim, this)) {
      return conflict;
    }
    for (UnkindRecord other : touched.collection().byId.values()) {
      UnkindRecord.Version version = other.at(UnkindWorld.NEWEST);
      boolean hasKey =
          version != null
              && Arrays.equals(other.key.logicalKey(), touched.key().logicalKey())
              && index.has(version, key);
      if (other != newest && hasKey) {
        return version.sequence() <= view.sequence ? duplicate : conflict;
      }
    }
    return null;
  }

  private void hold(Claims.Key key, boolean isPresent) {
    world.claims.hold(key, this);
    claimed.put(key, isPresent);
  }

  @Override
  public CompletionStage<CommitResult> commit(WriteBatch batch, WorkMeter meter) {
    return world.ask(() -> new UnkindCommit(world, this, meter).run(batch));
  }

  @Override
  public void release() {
    claimed.keySet().forEach(key -> world.claims.release(key, this));
    claimed.clear();
    view.close();
    ended.complete(null);
  }

  @Override
  public CompletionStage<?> ended() {
    return ended;
  }
}
