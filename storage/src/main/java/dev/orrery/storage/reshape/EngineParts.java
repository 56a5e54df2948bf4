package dev.orrery.storage.reshape;

import dev.orrery.storage.StorageObserver;
import dev.orrery.storage.index.PageFilePool;
import dev.orrery.storage.log.Log;
import dev.orrery.storage.physical.ChronicleCollection;
import dev.orrery.storage.physical.Collections;
import dev.orrery.storage.physical.DiskSpace;
import dev.orrery.storage.physical.Garbage;
import dev.orrery.storage.physical.ReadPoints;
import java.util.function.Supplier;

/** What the parts of the engine share: the log, what lies over it, and who looks after them. */
public interface EngineParts {
  Log log();

  Collections all();

  CatalogChanges catalog();

  /** The points at which somebody reads. */
  ReadPoints points();

  Garbage garbage();

  /** The memory of changed pages. */
  PageFilePool pages();

  DiskSpace diskSpace();

  /** Is told what is done. */
  StorageObserver observer();

  void requireOpen();

  /** Work that takes room goes on only while there is more than writes and drops need. */
  void requireRoom();

  /** Runs while no checkpoint does. */
  <T> T exclusively(Supplier<T> action);

  /** Saves everything that changed; recovery then starts here. */
  void checkpoint();

  /** The documents of a dropped collection are garbage now. */
  void countDropped(ChronicleCollection collection);

  /** A document in that segment could not be read and is no more. */
  void givenUp(long segment);
}
