package dev.orrery.compat.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.compat.PackagedServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Everything at once: clients that write and compare, definitions that change, partitions that are
 * split and merged, the profiler, capped collections, hostile requests, clients that vanish, and a
 * server that is killed or stopped now and then. Nobody waits longer than ten seconds, nothing that
 * was acknowledged is lost, all structures agree at the end, and the server takes no more then than
 * it took before.
 *
 * <p>{@code -Dsoak.minutes=60} makes it longer, {@code -Dsoak.seed=...} repeats the choices, {@code
 * -Dsoak.without=Profiler,DdlActor} leaves some out. What happened is in {@code target/soak}: a
 * timeline, the server's log, its threads at a failure.
 */
final class SoakTest {
  private static final double MINUTES = Double.parseDouble(System.getProperty("soak.minutes", "5"));
  private static final long SEED = Long.getLong("soak.seed", System.nanoTime());
  private static final int WRITERS = Integer.getInteger("soak.clients", 32);

  /** Actors that stay away, by the names of their classes, to find out who it is; and kill. */
  private static final Set<String> WITHOUT =
      Set.of(System.getProperty("soak.without", "").split(","));

  /** The part of the time in which the server is killed and stopped. */
  private static final double RESTLESS = 0.6;

  private static final long WARM_UP_MILLIS = 10_000;
  private static final int OPEN_FILES_BASE = 200;

  @TempDir Path directory;

  private final Path reports = Path.of("target", "soak");
  private final Random random = new Random(SEED);
  private SoakRun run;
  private SoakServer server;

  @AfterEach
  void stop() throws InterruptedException {
    if (server != null && server.isAlive()) {
      server.kill();
    }
    if (run != null) {
      run.close();
    }
  }

  @Test
  void everythingAtOnceLosesNothingAndKeepsNobodyWaiting() throws Exception {
    Files.createDirectories(reports);
    Files.deleteIfExists(log());
    Files.deleteIfExists(reports.resolve("threads.txt"));
    run = new SoakRun(reports);
    run.log("seed " + SEED + ", " + MINUTES + " minutes, " + WRITERS + " writers");
    System.out.println("soak: seed " + SEED + ", see " + reports.toAbsolutePath());
    start();
    setUp();
    List<Writer> writers = new ArrayList<>();
    List<Thread> threads = beginAll(writers);
    ScheduledExecutorService watch = Executors.newSingleThreadScheduledExecutor();
    watch.scheduleWithFixedDelay(run::watch, 1, 1, TimeUnit.SECONDS);
    long end = System.nanoTime() + (long) (MINUTES * 60e9);
    restartUntil(System.nanoTime() + (long) (MINUTES * RESTLESS * 60e9));
    Footprint before = rest(WARM_UP_MILLIS);
    while (!run.isOver() && System.nanoTime() < end) {
      SoakRun.pause(100);
    }
    Footprint after = rest(0);
    run.log("before " + before + ", after " + after);
    if (!run.isOver()) {
      run.atRest(() -> verifyAll(writers));
    }
    run.end();
    for (Thread thread : threads) {
      thread.join(TimeUnit.SECONDS.toMillis(30));
    }
    watch.shutdownNow();
    requireNoFailure();
    int files = OPEN_FILES_BASE + 2 * countFiles();
    assertThat(after.growthSince(before, files)).as("growth, " + SEED).isEmpty();
    requireGoodEnd();
  }

  private Path log() {
    return reports.resolve("server.log");
  }

  private void start() throws IOException {
    server = SoakServer.start(directory, log());
    run.serveBy(server);
  }

  private void setUp() throws IOException {
    try (var client = new SoakClient(run, "soak")) {
      client.must("{shardCollection: 'soak.docs', key: {k: 'hashed'}, $db: 'admin'}");
      client.must(
          "{createIndexes: 'docs', indexes: [{key: {w: 1}, name: 'w'},"
              + " {key: {k: 1, u: 1}, name: 'u', unique: true}]}");
    }
  }

  private List<Thread> beginAll(List<Writer> writers) {
    List<Actor> actors = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      writers.add(new Writer(run, i));
    }
    actors.addAll(writers);
    actors.add(new CappedFollower(run));
    actors.add(new DdlActor(run));
    actors.add(new HostileReader(run));
    actors.add(new HostileReader(run));
    actors.add(new IndexBuilder(run));
    actors.add(new PartitionActor(run));
    actors.add(new Profiler(run));
    actors.add(new Reader(run));
    actors.add(new Reader(run));
    actors.add(new Vanisher(run));
    return actors.stream()
        .filter(actor -> !WITHOUT.contains(actor.getClass().getSimpleName()))
        .map(actor -> Actor.begin(run, actor, random.nextLong()))
        .toList();
  }

  private void restartUntil(long end) throws Exception {
    while (!run.isOver() && System.nanoTime() < end) {
      SoakRun.pause(3_000 + random.nextInt(9_000));
      if (run.isOver()) {
        return;
      }
      if (random.nextInt(3) > 0 && !WITHOUT.contains("kill")) {
        run.log("kill");
        server.kill();
      } else {
        run.log("stop");
        if (!server.stop(run.stopSecondsMax())) {
          run.fail("SIGTERM does not end the server");
          return;
        }
      }
      start();
    }
  }

  /** Ends what sessions hold while nobody acts, and looks at what the server takes then. */
  private Footprint rest(long afterMillis) throws Exception {
    SoakRun.pause(run.isOver() ? 0 : afterMillis);
    var taken = new Footprint[1];
    run.atRest(
        () -> {
          if (!run.isOver()) {
            try (var client = new SoakClient(run, "admin")) {
              client.must(new BsonDocument("killSessions", run.cursorSessions()));
            }
            SoakRun.pause(2_000);
          }
          taken[0] = server.isAlive() ? server.footprint() : null;
        });
    return taken[0];
  }

  private void verifyAll(List<Writer> writers) throws IOException {
    try (var client = new SoakClient(run, "soak")) {
      run.log(
          "verify %d documents in %d partitions"
              .formatted(
                  client.must("{count: 'docs'}").getNumber("n").intValue(),
                  client.must("{listPartitions: 'docs'}").getArray("partitions").size()));
    }
    for (Writer writer : writers) {
      writer.verify("{find: 'docs', filter: {w: %d}, hint: 'w', batchSize: 5000}");
      writer.verify("{find: 'docs', filter: {w: %d}, hint: {$natural: 1}, batchSize: 5000}");
    }
    for (String database : List.of("soak", "ddl", "capped")) {
      try (var client = new SoakClient(run, database)) {
        BsonDocument reply = client.must("{listCollections: 1, nameOnly: true}");
        for (BsonValue each : reply.getDocument("cursor").getArray("firstBatch")) {
          validate(client, each.asDocument().getString("name").getValue());
        }
      }
    }
  }

  private void validate(SoakClient client, String name) throws IOException {
    BsonDocument reply = client.patiently("{validate: '%s', full: true}".formatted(name));
    boolean isValid = SoakClient.isOk(reply) && reply.getBoolean("valid").getValue();
    if (!isValid) {
      run.fail("validate of " + name + ": " + reply.toJson());
    }
  }

  private int countFiles() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return (int) files.filter(Files::isRegularFile).count();
    }
  }

  private void requireNoFailure() {
    assertThat(run.failures()).as("seed %d, see %s", SEED, reports.toAbsolutePath()).isEmpty();
  }

  /** The server ends when told to, its log tells of no mistake, and its files agree. */
  private void requireGoodEnd() throws Exception {
    assertThat(server.stop(run.stopSecondsMax())).as("SIGTERM ends the server").isTrue();
    try (Stream<String> lines = Files.lines(log())) {
      assertThat(lines.filter(line -> line.contains(" ERROR ")))
          .as("errors in %s", log().toAbsolutePath())
          .isEmpty();
    }
    PackagedServer.Ended check = PackagedServer.run("check", "--data", directory.toString());
    assertThat(check.exitCode()).as(check.output()).isZero();
  }
}
