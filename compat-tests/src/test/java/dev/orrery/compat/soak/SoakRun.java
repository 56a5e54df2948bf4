package dev.orrery.compat.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.bson.BsonArray;
import org.bson.BsonDocument;

/**
 * What all who take part in a run share: the server of the moment, who waits for an answer since
 * when, the gate that lets everybody rest, and what went wrong.
 */
final class SoakRun implements AutoCloseable {
  /**
   * A request that takes longer, and did not ask for it, fails the run; on a machine that others
   * use as well, as much longer as that makes it.
   */
  static final long REQUEST_SECONDS_MAX = Long.getLong("soak.request.seconds", 10);

  private static final long STOP_SECONDS_MAX = 30;
  private static final long NANOS_PER_SECOND = 1_000_000_000;

  private final Path reports;
  private final Timeline timeline;
  private final Map<SoakClient, Waiting> waiting = new ConcurrentHashMap<>();
  private final Set<BsonDocument> cursorSessions = ConcurrentHashMap.newKeySet();
  private final List<String> failures = new CopyOnWriteArrayList<>();
  private final Slowness slowness = new Slowness();
  private final Thread measuring = new Thread(slowness::measure, "slowness");
  private final ReadWriteLock gate = new ReentrantReadWriteLock(true);
  private volatile SoakServer server;
  private volatile boolean isOver;

  /** A request without an answer. */
  private record Waiting(SoakServer server, String request, long sinceNanos) {}

  SoakRun(Path reports) {
    this.reports = reports;
    this.timeline = new Timeline(reports.resolve("timeline.log"));
    measuring.setDaemon(true);
    measuring.start();
  }

  void log(String event) {
    timeline.add(event);
  }

  /** Notes what went wrong, with what the server's threads did then; the run ends. */
  void fail(String what) {
    isOver = true; // so that nobody ends the server before its threads were looked at
    log("FAILURE " + what + " (" + slowness + ")");
    failures.add(what);
    if (failures.size() == 1) {
      dump();
    }
  }

  private synchronized void dump() {
    SoakServer current = server;
    if (current == null || !current.isAlive()) {
      return;
    }
    try {
      Files.writeString(reports.resolve("threads.txt"), current.threads());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  List<String> failures() {
    return failures;
  }

  boolean isOver() {
    return isOver;
  }

  void end() {
    isOver = true;
  }

  void serveBy(SoakServer started) {
    server = started;
    log("the server is up");
  }

  /** The server of the moment, as soon as there is one. */
  SoakServer awaitServer() throws IOException {
    while (!isOver) {
      SoakServer current = server;
      if (current != null && current.isServing()) {
        return current;
      }
      pause(20);
    }
    throw new IOException("the run is over");
  }

  /** Waits until a server that broke a connection off is gone; that it stays is a failure. */
  void requireGone(SoakServer cut, String request, IOException cause) {
    long deadline = System.nanoTime() + 5 * NANOS_PER_SECOND;
    while (!isOver && cut.isServing()) {
      if (System.nanoTime() > deadline) {
        fail("the connection broke without a restart in " + request + ": " + cause);
      }
      pause(20);
    }
  }

  /** Notes a session that holds cursors. */
  void endsAtRest(BsonDocument session) {
    cursorSessions.add(session);
  }

  BsonArray cursorSessions() {
    return new BsonArray(List.copyOf(cursorSessions));
  }

  void begins(SoakClient client, SoakServer asked, String request) {
    waiting.put(client, new Waiting(asked, request, System.nanoTime()));
  }

  void ends(SoakClient client) {
    waiting.remove(client);
  }

  /** Fails the run if somebody has waited for too long. */
  void watch() {
    long now = System.nanoTime();
    long secondsMax = slowness.secondsHere(REQUEST_SECONDS_MAX);
    for (Waiting one : waiting.values()) {
      long seconds = (now - one.sinceNanos) / NANOS_PER_SECOND;
      if (seconds >= secondsMax && one.server.isServing()) {
        fail("no answer for %d s: %s".formatted(seconds, one.request));
        return;
      }
      if (seconds >= REQUEST_SECONDS_MAX) {
        log("%d s, %s: %s".formatted(seconds, slowness, one.request));
      }
    }
  }

  /** Lets actors act, one step of each at a time. */
  void enter() {
    gate.readLock().lock();
  }

  void leave() {
    gate.readLock().unlock();
  }

  /** Does something while nobody acts. */
  void atRest(Step step) throws Exception {
    gate.writeLock().lock();
    try {
      step.run();
    } finally {
      gate.writeLock().unlock();
    }
  }

  /** Something that may fail. */
  interface Step {
    void run() throws Exception;
  }

  static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** How long the server may take to end when it is told to. */
  long stopSecondsMax() {
    return slowness.secondsHere(STOP_SECONDS_MAX);
  }

  /** For how long a client waits for an answer before it takes the connection for broken. */
  int replyMillisMax() {
    return (int) (2_000 * slowness.secondsHere(REQUEST_SECONDS_MAX));
  }

  @Override
  public void close() {
    measuring.interrupt();
    timeline.close();
  }
}
