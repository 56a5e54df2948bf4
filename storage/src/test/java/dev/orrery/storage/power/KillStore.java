package dev.orrery.storage.power;

import dev.orrery.lane.Lane;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.NoHooks;
import dev.orrery.storage.Receipt;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.engine.ChronicleEngine;
import dev.orrery.storage.engine.EngineOptions;
import dev.orrery.storage.log.LogOptions;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.bson.BsonDocument;

/** A store whose files are copied, as a kill would leave them, before operations on them. */
final class KillStore implements AutoCloseable {
  static final Namespace NAMESPACE = new Namespace("kill", "things");
  private static final int DOCUMENTS = 1_200;
  private static final int PATIENCE_MILLIS = 200;

  private final Path copies;
  private final long seed;
  private final boolean isPowerCut;
  private final KillModel model;
  private final ExecutorService client = Executors.newSingleThreadExecutor();
  private final Deque<Kill> kills = new ArrayDeque<>();
  private final Thread worker = Thread.currentThread();
  private Path live;
  private PowerModel power;
  private RecordedPath path;
  private ChronicleEngine engine;
  private Future<?> writing;
  private volatile boolean isSilent;
  private int operations;
  private int every;

  /** The files at one moment, and what must be in them. */
  record Kill(int number, String operation, KillModel.Expected expected) {
    @Override
    public String toString() {
      return "kill " + number + " before " + operation;
    }
  }

  KillStore(Path directory, long seed, boolean isPowerCut) {
    this.copies = directory;
    this.seed = seed;
    this.isPowerCut = isPowerCut;
    this.model = new KillModel(seed);
    liveIn(directory.resolve("live"));
    open(options(true));
    create();
  }

  /** Goes on from the files of another, as after a kill. */
  KillStore(KillStore other, Path directory, long seed, boolean isPowerCut) throws IOException {
    this.copies = directory;
    this.seed = seed;
    this.isPowerCut = isPowerCut;
    this.model = new KillModel(other.model, seed);
    Files.createDirectories(directory);
    copy(other.live, directory.resolve("live"));
    liveIn(directory.resolve("live"));
    power.adopt();
    open(options(true));
    engine.checkpoint();
    write(60);
  }

  static EngineOptions options(boolean isDurable) {
    return EngineOptions.defaults()
        .with(LogOptions.defaults().withFsync(isDurable).withSegmentBytes(64 << 10))
        .with(new EngineOptions.Checkpoints(Long.MAX_VALUE, Long.MAX_VALUE))
        .with(new EngineOptions.Compacting(Long.MAX_VALUE))
        .with(new EngineOptions.Maps(64, 500));
  }

  private void open(EngineOptions options) {
    engine = ChronicleEngine.open(path, options, new NoHooks());
  }

  private void liveIn(Path directory) {
    live = directory;
    power = new PowerModel(live);
    path = new RecordedPath(new RecordedDisk(live, power), live);
  }

  private void create() {
    var indexes = new ArrayList<IndexSpec>();
    indexes.add(IndexSpec.idIndex());
    engine.create(
        NAMESPACE,
        new CollectionInfo.Creation(new BsonDocument(), "p", indexes, 1, new BsonDocument()));
    for (int i = 0; i < DOCUMENTS; i++) {
      apply(model.nextInsert());
    }
    indexes.clear();
    indexes.add(IndexSpec.of(BsonDocument.parse("{key: {s: 1}, name: 's_1'}")));
    indexes.add(IndexSpec.of(BsonDocument.parse("{key: {u: 1}, name: 'u_1', unique: true}")));
    engine.createIndexes(collection(), indexes);
    engine.checkpoint();
    write(150);
  }

  ChronicleEngine engine() {
    return engine;
  }

  CollectionStore collection() {
    return engine.find(NAMESPACE);
  }

  /** How many operations the work takes. */
  int operations(KillScenario scenario) throws IOException {
    return run(scenario, Integer.MAX_VALUE, (kill, copy) -> {});
  }

  /** Does the work, and hands out the files before every operation whose number has the stride. */
  int run(KillScenario scenario, int stride, BiConsumer<Kill, Path> check) throws IOException {
    scenario.prepare(this);
    every = stride;
    record();
    scenario.run(this);
    await();
    power.beforeOperations(() -> {}, operation -> {});
    int count = operations;
    for (Kill kill = kills.poll(); kill != null; kill = kills.poll()) {
      check.accept(kill, copyOf(kill.number()));
    }
    return count;
  }

  private void record() {
    power.beforeOperations(this::turnInBetween, this::kill);
  }

  private Path copyOf(int number) {
    return copies.resolve("kill" + number);
  }

  private void kill(String operation) throws IOException {
    if (++operations % every != 0) {
      return;
    }
    var kill = new Kill(operations, operation, model.expected());
    kills.add(kill);
    Path copy = copyOf(kill.number());
    if (isPowerCut) {
      Files.createDirectories(copy);
      power.cut(copy, new Random(seed + kill.number()));
      return;
    }
    copy(live, copy);
  }

  static void copy(Path from, Path copy) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path one : all.toList()) {
        if (!one.toString().endsWith(".map")) { // scratch of the process, never read again
          Files.copy(one, copy.resolve(from.relativize(one).toString()));
        }
      }
    }
  }

  /** Every third operation of the work waits for a write, so that the log goes on meanwhile. */
  private void turnInBetween() {
    if (Thread.currentThread() == worker && operations % 3 == 0) {
      turn();
    }
  }

  /** Lets the client write, unless what goes on keeps it out. */
  void turn() {
    if (isSilent || writing != null && !writing.isDone()) {
      return;
    }
    try {
      writing = client.submit(() -> apply(model.next()));
      writing.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return; // it holds a lock that the client needs; the write comes later
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError(e);
    }
  }

  /** No more writes by the client. */
  void silence() {
    isSilent = true;
    await();
  }

  private void await() {
    try {
      if (writing != null) {
        writing.get();
      }
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError(e);
    }
  }

  void write(int count) {
    whileTheClientRests(count, model::next);
  }

  /** One write at a time: the model knows of one that may be there or not. */
  private void whileTheClientRests(int count, Supplier<KillModel.Change> next) {
    boolean wasSilent = isSilent;
    silence();
    for (int i = 0; i < count; i++) {
      apply(next.get());
    }
    isSilent = wasSilent;
  }

  /** Makes garbage of most of the log. */
  void rewriteAll() {
    whileTheClientRests(DOCUMENTS, model::nextRewrite);
  }

  private void apply(KillModel.Change change) {
    WriteOutcome outcome;
    Receipt receipt;
    do {
      var result = Lane.await(engine.commit(WriteBatch.of(operation(change)), new WorkMeter()));
      outcome = result.outcomes().get(0);
      receipt = result.receipt();
    } while (outcome.status() == WriteOutcome.Status.CONFLICT); // it was moved in between
    if (!outcome.isApplied()) {
      throw new AssertionError(change + ": " + outcome);
    }
    Lane.await(receipt.whenDurable());
    model.acknowledge(change);
  }

  private WriteOperation operation(KillModel.Change change) {
    if (change.before() == null) {
      return new WriteOperation.Insert(collection(), RawDocument.of(change.after()));
    }
    StoredDocument before = find(change.before());
    return change.after() == null
        ? new WriteOperation.Delete(collection(), before)
        : new WriteOperation.Replace(collection(), before, RawDocument.of(change.after()));
  }

  private StoredDocument find(BsonDocument document) {
    RawValue partitionKey = RawValue.of(document.get("p"));
    byte[] key = collection().primaryKey(partitionKey, RawValue.of(document.get("_id")));
    return Lane.await(collection().partitionOf(partitionKey).find(key, new WorkMeter()));
  }

  /** The files as they are now. */
  Path killed() throws IOException {
    silence();
    Path copy = copies.resolve("killed");
    copy(live, copy);
    return copy;
  }

  KillModel.Expected expected() {
    return model.expected();
  }

  /** Starts again from files that the end of the process has left. */
  void restart() throws IOException {
    silence();
    Path killed = copies.resolve("restarted");
    copy(live, killed);
    power.beforeOperations(() -> {}, operation -> {});
    engine.close();
    liveIn(killed);
    power.adopt();
    record();
    open(options(true));
    isSilent = false;
  }

  void restartCompacting() {
    silence();
    engine.close();
    open(options(true).with(new EngineOptions.Compacting(0)));
    isSilent = false;
  }

  @Override
  public void close() {
    client.shutdown();
    engine.close();
  }
}
