package dev.orrery.storage.unkind;

import dev.orrery.lane.Lane;
import dev.orrery.storage.Change;
import dev.orrery.storage.ChangeFeed;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.CommitClock;
import dev.orrery.storage.CommitResult;
import dev.orrery.storage.DiskRoom;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.Receipt;
import dev.orrery.storage.RepairResult;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.Transaction;
import dev.orrery.storage.View;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.overlay.OverlayTransaction;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawValue;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * An engine as unkind as a network: it keeps everything in memory, answers every question from
 * another thread and now and then late, gives ids in no order and other objects each time, and
 * tells writers to read again for no reason. For tests of all that stands above storage.
 */
public final class UnkindEngine implements StorageEngine {
  private static final int DOCUMENTS_PER_PAUSE = 64;

  private final UnkindWorld world;
  private final UnkindStructures structures;

  private UnkindEngine(UnkindWorld world) {
    this.world = world;
    this.structures = new UnkindStructures(world);
  }

  /** Opens a world, which is as it was left when it was closed. */
  public static UnkindEngine open(UnkindWorld world) {
    world.open();
    return new UnkindEngine(world);
  }

  private <T> T wait(Supplier<T> change) {
    Lane.requireMayWait();
    return world.wait(change);
  }

  @Override
  public List<CollectionStore> collections() {
    synchronized (world) {
      return List.copyOf(world.collections.values());
    }
  }

  @Override
  public @Nullable CollectionStore find(Namespace namespace) {
    synchronized (world) {
      return world.find(namespace);
    }
  }

  @Override
  public View pin() {
    synchronized (world) {
      world.requireOpen();
      return new UnkindView(world, world.pin(), world.clock.now());
    }
  }

  /** Nothing is kept of a past in which nobody read. */
  @Override
  public View pin(long time) {
    synchronized (world) {
      if (Long.compareUnsigned(time, world.clock.now()) < 0) {
        throw new StorageException(StorageException.Reason.POINT_LOST, "that was too long ago");
      }
      return pin();
    }
  }

  @Override
  public Transaction begin(long time) {
    Lane.requireMayWait();
    synchronized (world) {
      var view = (UnkindView) (time == 0 ? pin() : pin(time));
      return new OverlayTransaction(new UnkindGround(world, view));
    }
  }

  @Override
  public CompletionStage<CommitResult> commit(WriteBatch batch, WorkMeter meter) {
    Lane.requireMayWait();
    return world.ask(() -> new UnkindCommit(world, null, meter).run(batch));
  }

  @Override
  public ChangeFeed changes() {
    return world.feed;
  }

  @Override
  public Receipt announce(BsonDocument announcement) {
    return wait(() -> structures.tick(receipt(), new Change.Announcement(announcement)));
  }

  @Override
  public CommitClock clock() {
    return world.clock;
  }

  @Override
  public Receipt receipt() {
    return new UnkindReceipt(world, world.clock.now());
  }

  @Override
  public long diskBytes() {
    return 0;
  }

  @Override
  public DiskRoom diskRoom() {
    return new DiskRoom(0, 0);
  }

  @Override
  public @Nullable CollectionStore create(Namespace namespace, CollectionInfo.Creation creation) {
    return wait(() -> structures.create(namespace, creation, UUID.randomUUID()));
  }

  @Override
  public boolean drop(CollectionStore collection) {
    return wait(() -> structures.drop((UnkindCollection) collection));
  }

  @Override
  public @Nullable CollectionStore replaceEmpty(
      CollectionStore collection, CollectionInfo.Creation creation) {
    return wait(
        () -> structures.replaceEmpty((UnkindCollection) collection, creation, UUID.randomUUID()));
  }

  @Override
  public boolean dropEmpty(CollectionStore collection) {
    return wait(
        () -> {
          var empty = (UnkindCollection) collection;
          return empty.sizes.isEmpty() && structures.drop(empty);
        });
  }

  @Override
  public boolean rename(
      CollectionStore collection, Namespace from, Namespace to, boolean dropTarget) {
    return wait(() -> structures.rename((UnkindCollection) collection, from, to, dropTarget));
  }

  @Override
  public CollectionInfo update(CollectionStore collection, UnaryOperator<CollectionInfo> change) {
    return wait(
        () -> {
          var changed = (UnkindCollection) collection;
          changed.requireExists();
          CollectionInfo before = changed.info;
          changed.info = UnkindStructures.written(change.apply(before));
          return structures.tick(changed.info, new Change.OfStructure(before, changed.info));
        });
  }

  @Override
  public void createIndexes(
      CollectionStore collection,
      Function<CollectionInfo, List<IndexSpec>> missing,
      Runnable pause) {
    for (int i = 0; i < 3; i++) {
      pause.run();
    }
    wait(
        () -> {
          List<IndexSpec> specs = missing.apply(collection.info());
          structures.addIndexes((UnkindCollection) collection, specs);
          return null;
        });
  }

  @Override
  public void replaceIndex(CollectionStore collection, IndexSpec changed) {
    wait(
        () -> {
          structures.replaceIndex((UnkindCollection) collection, changed);
          return null;
        });
  }

  @Override
  public boolean dropIndex(CollectionStore collection, String name) {
    return wait(() -> structures.dropIndex((UnkindCollection) collection, name));
  }

  @Override
  public void alterIndex(CollectionStore collection, IndexSpec changed) {
    wait(
        () -> {
          structures.alterIndex((UnkindCollection) collection, changed);
          return null;
        });
  }

  @Override
  public List<BsonDocument> settings(String kind) {
    return wait(() -> List.copyOf(world.settings.getOrDefault(kind, Map.of()).values()));
  }

  @Override
  public Receipt putSetting(String kind, BsonDocument document) {
    return wait(
        () -> {
          world
              .settings
              .computeIfAbsent(kind, absent -> new LinkedHashMap<>())
              .put(document.getString("_id").getValue(), document);
          return structures.tick(receipt());
        });
  }

  @Override
  public boolean removeSetting(String kind, String id) {
    return wait(() -> world.settings.getOrDefault(kind, new LinkedHashMap<>()).remove(id) != null);
  }

  /** As if documents were copied, a few after each pause. */
  private static void pauseOften(CollectionStore collection, Runnable pause) {
    long documents = 0;
    for (PartitionStore partition : collection.partitions()) {
      documents += partition.statistics().documents();
    }
    for (long copied = 0; copied <= documents; copied += DOCUMENTS_PER_PAUSE) {
      pause.run();
    }
  }

  @Override
  public void split(CollectionStore collection, int partition, String boundary, Runnable pause) {
    pauseOften(collection, pause);
    wait(
        () -> {
          structures.split((UnkindCollection) collection, partition, boundary);
          return null;
        });
  }

  @Override
  public int merge(CollectionStore collection, int partition, int neighbour, Runnable pause) {
    pauseOften(collection, pause);
    return wait(() -> structures.merge((UnkindCollection) collection, partition, neighbour));
  }

  @Override
  public List<String> validate(CollectionStore collection) {
    return wait(() -> structures.validate((UnkindCollection) collection));
  }

  @Override
  public RepairResult repair(CollectionStore collection, Runnable pause) {
    ((UnkindCollection) collection).requireExists();
    return new RepairResult(validate(collection), List.of(), 0, 0, List.of());
  }

  /** Nothing here can become unreadable. */
  @Override
  public Receipt discard(CollectionStore collection, @Nullable RawValue partitionKey, RawValue id) {
    return Receipt.NONE;
  }

  @Override
  public void close() {
    world.close();
  }
}
