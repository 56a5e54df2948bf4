package dev.orrery.server.throughput;

import dev.orrery.lane.Lane;
import dev.orrery.storage.Receipt;
import dev.orrery.storage.StorageEngine;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/**
 * The databases that were created by name, with the throughput that their collections share. Kept
 * in the engine's settings, and in memory because every request asks.
 */
public final class DatabaseThroughputs {
  private static final String KIND = "database";

  private final StorageEngine engine;
  private volatile Map<String, Throughput> databases;

  public DatabaseThroughputs(StorageEngine engine) {
    this.engine = engine;
    var found = new TreeMap<String, Throughput>();
    for (BsonDocument setting : engine.settings(KIND)) {
      found.put(
          setting.getString("_id").getValue(),
          Throughput.fromBson(setting.getDocument("throughput")));
    }
    databases = found;
  }

  /** The shared throughput, which may be none; null when the database was not created by name. */
  public @Nullable Throughput find(String database) {
    return databases.get(database);
  }

  /** The shared throughput, or none. */
  public Throughput of(String database) {
    return databases.getOrDefault(database, Throughput.NONE);
  }

  public SortedSet<String> names() {
    return new TreeSet<>(databases.keySet());
  }

  /** Creates or changes a database. Waits, as one change is written after the other. */
  public Receipt put(String database, Throughput throughput) {
    Lane.requireMayWait();
    return putAlone(database, throughput);
  }

  private synchronized Receipt putAlone(String database, Throughput throughput) {
    var setting =
        new BsonDocument("_id", new BsonString(database)).append("throughput", throughput.toBson());
    Receipt receipt = engine.putSetting(KIND, setting);
    var changed = new TreeMap<>(databases);
    changed.put(database, throughput);
    databases = changed;
    return receipt;
  }

  /** Forgets a database that is dropped; false when it was not created by name. Waits. */
  public boolean remove(String database) {
    Lane.requireMayWait();
    return removeAlone(database);
  }

  private synchronized boolean removeAlone(String database) {
    var changed = new TreeMap<>(databases);
    if (changed.remove(database) == null) {
      return false;
    }
    engine.removeSetting(KIND, database);
    databases = changed;
    return true;
  }
}
