package dev.orrery.server;

import static java.util.Map.entry;

import java.util.Map;
import java.util.Set;

/** The classes in which a thread may come to stand still, and why it may there. */
final class WaitingPlaces {
  private static final String LANE = "asks Lane first";
  private static final String PAGES = "a lock that is held while pages in memory change";
  private static final String CATALOG = "by structureLock or the catalog's lock, which ask Lane";
  private static final String BACKGROUND = "the server's own work, on a thread of its own";
  private static final String COMMITTER = "makes the log durable, for others to wait for";
  private static final String OTHER_PROCESS = "runs beside a server, or before one";
  private static final String STOP = "the end of the server";
  private static final String WORKER = "part of a request that is run by workers only";

  /** What makes a thread wait, by the class that has it. */
  static final Map<String, Set<String>> METHODS =
      Map.ofEntries(
          entry("BlockingQueue", Set.of("take", "put")),
          entry("CompletableFuture", Set.of("get", "join")),
          entry("Condition", Set.of("await", "awaitNanos", "awaitUninterruptibly")),
          entry("CountDownLatch", Set.of("await")),
          entry("ExecutorService", Set.of("awaitTermination", "invokeAll")),
          entry("FileChannel", Set.of("force")),
          entry("Future", Set.of("get")),
          entry("LinkedBlockingQueue", Set.of("take", "put")),
          entry("Lock", Set.of("lock", "lockInterruptibly")),
          entry("LockSupport", Set.of("park", "parkNanos")),
          entry("Object", Set.of("wait")),
          entry("Process", Set.of("waitFor")),
          entry("ReentrantLock", Set.of("lock", "lockInterruptibly")),
          entry("ScheduledExecutorService", Set.of("awaitTermination")),
          entry("Semaphore", Set.of("acquire", "acquireUninterruptibly")),
          entry("StampedLock", Set.of("readLock", "writeLock")),
          entry("Thread", Set.of("join", "sleep")),
          entry("ThreadPoolExecutor", Set.of("awaitTermination")),
          entry("TimeUnit", Set.of("sleep", "timedWait", "timedJoin")));

  static final Map<String, String> REASONS =
      Map.ofEntries(
          entry("lane.Lane", "the one place that waits for what a request needs"),
          entry("lane.Pulse", BACKGROUND),
          entry("language.aggregate.SplitGrouping", LANE),
          entry("language.limit.MemoryAccount", LANE),
          entry("server.OwnProcess", STOP),
          entry("server.command.Dispatcher", "takes the result of a stage that is complete"),
          entry("server.command.WorkerPool", STOP),
          entry(
              "server.command.Workers",
              "what a worker cannot leave in its middle, a few at a time"),
          entry("server.command.diagnostic.HelloCommand", "looks at a stage that is complete"),
          entry("server.command.schema.ConvertToCappedCommand", WORKER),
          entry("server.command.schema.TtlMonitor", BACKGROUND),
          entry("server.console.history.LoadHistory", STOP),
          entry("server.console.http.HttpServer", STOP),
          entry("server.net.LoopWatchdog", BACKGROUND),
          entry("server.operation.BackgroundJournal", BACKGROUND),
          entry("server.plan.Execution", LANE),
          entry("server.run.ChildProcess", OTHER_PROCESS),
          entry("server.run.InitialData", OTHER_PROCESS),
          entry("server.transfer.ImportLane", OTHER_PROCESS),
          entry("server.transfer.ImportState", OTHER_PROCESS),
          entry("server.transfer.RecordCommandLine", OTHER_PROCESS),
          entry("server.transfer.WriterPool", OTHER_PROCESS),
          entry("server.transfer.replay.ReplayLane", OTHER_PROCESS),
          entry("server.transfer.source.Progress", OTHER_PROCESS),
          entry("server.workload.Recording", WORKER),
          entry("storage.engine.ChronicleEngine", CATALOG),
          entry("storage.index.BTree", PAGES),
          entry("storage.index.BTreeCursor", PAGES),
          entry("storage.index.PageFileImage", BACKGROUND),
          entry("storage.index.PageFileJournal", BACKGROUND),
          entry("storage.index.PageFilePool", LANE),
          entry("storage.index.PendingCheckpoint", BACKGROUND),
          entry("storage.index.SlotFile", PAGES),
          entry("storage.keyindex.ChronicleBucket", PAGES),
          entry("storage.keyindex.KeyIndex", PAGES),
          entry("storage.keyindex.KeyIndexCheckpoint", BACKGROUND),
          entry("storage.keyindex.KeyIndexFiles", LANE),
          entry("storage.log.ChannelFile", COMMITTER),
          entry("storage.log.Committer", COMMITTER),
          entry("storage.log.DiskFiles", COMMITTER),
          entry("storage.log.Log", LANE),
          entry("storage.log.LogCursor", "a follower of the log, on a thread of its own"),
          entry("storage.log.LogSegments", COMMITTER),
          entry("storage.physical.Checkpointer", BACKGROUND),
          entry("storage.physical.Collections", CATALOG),
          entry("storage.physical.Flight", LANE),
          entry("storage.physical.PartitionWalk", BACKGROUND),
          entry("storage.physical.PhysicalPartition", LANE),
          entry("storage.physical.Trail", PAGES),
          entry("storage.postgres.Connections", STOP),
          entry("storage.postgres.Upkeep", STOP),
          entry("storage.recovery.CollectionRepair", CATALOG),
          entry("storage.recovery.Discard", CATALOG),
          entry("storage.recovery.Validation", CATALOG),
          entry("storage.reshape.CatalogChanges", CATALOG),
          entry("storage.reshape.IndexBuild", CATALOG),
          entry("storage.reshape.PartitionMerge", CATALOG),
          entry("storage.reshape.PartitionSplit", CATALOG),
          entry("storage.reshape.Takeover", CATALOG),
          entry("storage.upkeep.CheckpointFile", BACKGROUND),
          entry("storage.upkeep.Compaction", BACKGROUND),
          entry("storage.upkeep.CpuTimes", BACKGROUND),
          entry("storage.upkeep.Housekeeping", BACKGROUND));

  private WaitingPlaces() {}
}
