package dev.orrery.server.command.cosmos;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Faults;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.cursor.CursorRegistry;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** What faults do to the collections, the cursors, the disk and the time of a server. */
public final class ServerMishaps implements Faults.Mishaps {
  private static final Runnable UNHINDERED = () -> {};

  private final Databases databases;
  private final CursorRegistry cursors;
  private final Consumer<Boolean> disk;
  private final LongUnaryOperator time;

  /**
   * @param disk lets the engine take the disk for full, or no more
   * @param time lets it be so many milliseconds later for what expires; how many documents expired
   */
  public ServerMishaps(
      Databases databases, CursorRegistry cursors, Consumer<Boolean> disk, LongUnaryOperator time) {
    this.databases = databases;
    this.cursors = cursors;
    this.disk = disk;
    this.time = time;
  }

  @Override
  public boolean split(String database, String name) {
    CollectionStore collection = find(database, name);
    if (collection == null) {
      return false;
    }
    PartitionStore widest =
        collection.partitions().stream()
            .max(Comparator.comparing(one -> PartitionedCollections.width(one.range())))
            .orElseThrow();
    String middle = PartitionedCollections.middle(widest.range()).toString();
    databases.engine().split(collection, widest.id(), middle, UNHINDERED);
    return true;
  }

  @Override
  public boolean merge(String database, String name) {
    CollectionStore collection = find(database, name);
    if (collection == null || collection.partitions().size() < 2) {
      return false;
    }
    List<PartitionStore> inOrder =
        collection.partitions().stream()
            .sorted(Comparator.comparing(one -> one.range().minInclusive()))
            .toList();
    databases.engine().merge(collection, inOrder.get(0).id(), inOrder.get(1).id(), UNHINDERED);
    return true;
  }

  /** A collection with a partition key; null if there is none of that name. */
  private @Nullable CollectionStore find(String database, String name) {
    CollectionStore collection = databases.find(database, name);
    boolean isSharded =
        collection != null
            && !collection.info().isView()
            && collection.info().partitionKey() != null;
    return isSharded ? collection : null;
  }

  @Override
  public boolean expireCursor(long id) {
    return cursors.kill(id);
  }

  @Override
  public void fillDisk(boolean isFull) {
    disk.accept(isFull);
    if (isFull && !databases.engine().figures().isFull()) {
      disk.accept(false);
      throw new CommandException(
          ErrorCode.NOT_IMPLEMENTED, "the storage engine of this server has no disk to fill");
    }
  }

  @Override
  public long jump(long millis) {
    return time.applyAsLong(millis);
  }
}
