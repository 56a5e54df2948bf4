package dev.orrery.server.store;

import dev.orrery.lane.Lane;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.StorageHooks;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.engine.ChronicleEngine;
import dev.orrery.storage.engine.EngineOptions;
import dev.orrery.storage.log.LogOptions;
import dev.orrery.storage.postgres.PostgresEngine;
import dev.orrery.storage.postgres.PostgresOptions;
import dev.orrery.storage.postgres.TestPostgres;
import dev.orrery.storage.unkind.UnkindEngine;
import dev.orrery.storage.unkind.UnkindWorld;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The engine that tests run on: the embedded one, or with -Dorrery.engine another: unkind,
 * postgres.
 */
public final class TestEngines {
  /** So small that tests come to the end of a segment, with its fsync, again and again. */
  private static final int SEGMENT_BYTES = 64 << 10;

  /** How often the unkind engine tells a write to read again, for no reason. */
  private static final int CONFLICTS_ONE_IN = 25;

  /** What an engine had is there when the same directory is opened again. */
  private static final Map<Path, UnkindWorld> WORLDS = new ConcurrentHashMap<>();

  /** Tables of a real PostgreSQL, by directory. */
  private static final Map<Path, String> SCHEMAS = new ConcurrentHashMap<>();

  private TestEngines() {}

  /** Durable as in production, with small segments of the log. */
  public static EngineOptions options() {
    return EngineOptions.defaults().with(LogOptions.defaults().withSegmentBytes(SEGMENT_BYTES));
  }

  public static boolean isPostgres() {
    return "postgres".equals(System.getProperty("orrery.engine"));
  }

  public static boolean isUnkind() {
    return "unkind".equals(System.getProperty("orrery.engine"));
  }

  /** Commits all of it, however often that is refused. */
  public static void commit(StorageEngine engine, List<WriteOperation> operations) {
    var batch = new WriteBatch(operations, WriteBatch.OnFailure.APPLY_NONE);
    List<WriteOutcome> outcomes;
    do {
      outcomes = Lane.await(engine.commit(batch, new WorkMeter())).outcomes();
    } while (outcomes.stream().anyMatch(one -> one.status() == WriteOutcome.Status.CONFLICT));
  }

  /** An unkind engine of its own, which tells every second batch to read something again. */
  public static StorageEngine unlucky() {
    var behaviour = new UnkindWorld.Options(Long.MAX_VALUE, 2);
    return UnkindEngine.open(new UnkindWorld(new QueryHooks(), behaviour, Clock.systemUTC(), 42));
  }

  public static StorageEngine open(Path directory, EngineOptions options, StorageHooks hooks) {
    if (isPostgres()) {
      String schema =
          SCHEMAS.computeIfAbsent(directory.toAbsolutePath(), absent -> TestPostgres.freshSchema());
      var limits =
          new PostgresOptions.Limits(options.limits().logicalPartitionBytes(), Long.MAX_VALUE);
      return PostgresEngine.open(TestPostgres.running().options(schema).with(limits), hooks);
    }
    if (!isUnkind()) {
      return ChronicleEngine.open(directory, options, hooks);
    }
    var behaviour =
        new UnkindWorld.Options(options.limits().logicalPartitionBytes(), CONFLICTS_ONE_IN);
    UnkindWorld world =
        WORLDS.computeIfAbsent(
            directory.toAbsolutePath(),
            absent -> new UnkindWorld(hooks, behaviour, Clock.systemUTC(), 42));
    return UnkindEngine.open(world);
  }
}
