package dev.orrery.server.operation;

import dev.orrery.language.query.Filter;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * Which requests are profiled and which are slow, as {@code profile} sets it. Kept in memory, as in
 * MongoDB: a restart begins with the configuration.
 */
public final class ProfileSettings {
  /** MongoDB's default. */
  public static final int SLOW_MILLIS_DEFAULT = 100;

  /**
   * What is profiled in one database.
   *
   * @param level 0: nothing, 1: what is slow, 2: everything
   * @param filter decides in the place of slowness what is logged and profiled, or null
   */
  public record Database(
      int level, @Nullable Filter filter, @Nullable BsonDocument filterDocument) {
    static final Database OFF = new Database(0, null, null);
  }

  /** All settings at one time. */
  private record State(
      long slowMillis, double sampleRate, Map<String, Database> databases, boolean isPicky) {
    State(long slowMillis, double sampleRate, Map<String, Database> databases) {
      this(
          slowMillis,
          sampleRate,
          Map.copyOf(databases),
          databases.values().stream().anyMatch(each -> each.level == 2 || each.filter != null));
    }
  }

  private volatile State state;

  public ProfileSettings(long slowMillis) {
    state = new State(slowMillis, 1, Map.of());
  }

  public long slowMillis() {
    return state.slowMillis;
  }

  public double sampleRate() {
    return state.sampleRate;
  }

  public Database database(String name) {
    return state.databases.getOrDefault(name, Database.OFF);
  }

  public synchronized void slowAfter(long millis) {
    state = new State(millis, state.sampleRate, state.databases);
  }

  public synchronized void sample(double rate) {
    state = new State(state.slowMillis, rate, state.databases);
  }

  public synchronized void set(String name, Database database) {
    var databases = new HashMap<>(state.databases);
    databases.put(name, database);
    state = new State(state.slowMillis, state.sampleRate, databases);
  }

  /** Profiles nothing in a database any more, as if nobody had set anything. */
  public synchronized void forget(String name) {
    var databases = new HashMap<>(state.databases);
    databases.remove(name);
    state = new State(state.slowMillis, state.sampleRate, databases);
  }

  /** Whether a request that took so long may have to be written down; almost always false. */
  boolean mayMatter(long nanos) {
    State current = state;
    return current.isPicky || nanos >= TimeUnit.MILLISECONDS.toNanos(current.slowMillis);
  }

  boolean isSlow(long nanos) {
    return nanos >= TimeUnit.MILLISECONDS.toNanos(state.slowMillis);
  }
}
