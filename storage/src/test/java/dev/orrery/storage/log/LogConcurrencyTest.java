package dev.orrery.storage.log;

import static dev.orrery.storage.log.Groups.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogConcurrencyTest {

  private static final int WRITERS = 8;
  private static final int GROUPS_EACH = 500;

  private static final LogOptions OPTIONS = LogOptions.defaults().withSegmentBytes(128 << 10);

  @TempDir Path directory;

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  private static byte[] payload(int writer, int number) {
    return bytes("writer " + writer + " number " + number + " ".repeat(number % 500));
  }

  @Test
  void writersReadersAndTailersSeeOneOrder() throws Exception {
    try (Log log = Log.open(directory, OPTIONS)) {
      Map<Long, byte[]> written = new ConcurrentHashMap<>();
      var running = new AtomicInteger(WRITERS);
      var tasks = new ArrayList<Callable<Void>>();
      for (int i = 0; i < WRITERS; i++) {
        int writer = i;
        tasks.add(
            () -> {
              write(log, writer, written);
              running.decrementAndGet();
              return null;
            });
      }
      for (int i = 0; i < 3; i++) {
        tasks.add(() -> tail(log));
      }
      tasks.add(() -> readWhile(log, written, running));
      runAll(tasks);
      assertThat(log.lastLsn()).isEqualTo(WRITERS * GROUPS_EACH);
      assertThat(log.verify()).isEmpty();
    }
  }

  private static void write(Log log, int writer, Map<Long, byte[]> written) {
    for (int number = 0; number < GROUPS_EACH; number++) {
      byte[] payload = payload(writer, number);
      Appended appended = log.append(new RecordGroup().add((byte) writer, bytes("m"), payload));
      written.put(appended.positions()[0], payload);
      log.awaitDurable(appended.lsn());
      assertThat(log.durableLsn()).isGreaterThanOrEqualTo(appended.lsn());
    }
  }

  /** Sees every group once, in order, and each writer's groups in that writer's order. */
  private static Void tail(Log log) throws InterruptedException {
    LogCursor cursor = log.from(1);
    int[] next = new int[WRITERS];
    for (long lsn = 1; lsn <= WRITERS * GROUPS_EACH; lsn++) {
      LogGroup group = cursor.next(Duration.ofMinutes(1));
      assertThat(group.lsn()).isEqualTo(lsn);
      int writer = group.kind(0);
      assertThat(group.payload(0)).isEqualTo(payload(writer, next[writer]++));
    }
    assertThat(cursor.next()).isNull();
    return null;
  }

  private static Void readWhile(Log log, Map<Long, byte[]> written, AtomicInteger running) {
    while (running.get() > 0) {
      written.forEach(
          (position, payload) -> assertThat(log.readPayload(position)).isEqualTo(payload));
    }
    return null;
  }

  @Test
  void aSegmentMayBeDeletedUnderItsReaders() throws Exception {
    try (Log log = Log.open(directory, OPTIONS.withFsync(false))) {
      var positions = new ArrayList<Long>();
      byte[] payload = new byte[1000];
      new Random(1).nextBytes(payload);
      for (int i = 0; i < 4000; i++) {
        RecordGroup group = new RecordGroup().add((byte) 1, bytes("m"), payload);
        positions.add(log.append(group).positions()[0]);
      }
      var tasks = new ArrayList<Callable<Void>>();
      for (int i = 0; i < 4; i++) {
        int seed = i;
        tasks.add(() -> readUntilGone(log, positions, payload, new Random(seed)));
        tasks.add(() -> scanUntilGone(log, payload));
      }
      tasks.add(() -> deleteSealed(log));
      runAll(tasks);
      assertThat(log.segments()).hasSize(1);
    }
  }

  private static Void readUntilGone(Log log, List<Long> positions, byte[] payload, Random random) {
    while (log.segments().size() > 1) {
      try {
        long position = positions.get(random.nextInt(positions.size()));
        assertThat(log.readPayload(position)).isEqualTo(payload);
      } catch (StorageException e) {
        assertThat(e.reason()).isEqualTo(Reason.LOG_TRIMMED);
      }
    }
    return null;
  }

  private static Void scanUntilGone(Log log, byte[] payload) {
    while (log.segments().size() > 1) {
      LogCursor cursor = log.from(1);
      LogGroup last = null;
      for (LogGroup group = cursor.next(); group != null; group = cursor.next()) {
        assertThat(group.payload(0)).isEqualTo(payload);
        last = group;
      }
      assertThat(last.lsn()).isEqualTo(log.lastLsn());
      assertThat(log.verify()).isEmpty();
    }
    return null;
  }

  private static Void deleteSealed(Log log) throws InterruptedException {
    for (SegmentInfo segment : log.segments()) {
      if (segment.sealed()) {
        TimeUnit.MILLISECONDS.sleep(5);
        log.deleteSegment(segment.number());
      }
    }
    return null;
  }

  @Test
  void aDeletedSegmentIsUnmappedWhenItsLastReaderLeaves() throws IOException {
    try (Log log = Log.open(directory, OPTIONS.withFsync(false))) {
      while (log.segments().size() < 2) {
        log.append(Groups.group("x".repeat(1000)));
      }
      Segment segment = log.reaching(1);
      assertThat(segment.mapping().acquire()).isTrue();
      log.deleteSegment(1);
      assertThat(Groups.segmentFile(directory, 1)).doesNotExist();
      assertThat(segment.mapping().acquire()).isTrue();
      segment.mapping().release();
      assertThat(segment.mapping().bytes().get(0)).isEqualTo((byte) 'O');
      segment.mapping().release();
      assertThat(segment.mapping().acquire()).isFalse();
      assertThat(mappedFiles()).noneMatch(line -> line.contains(Format.fileName(1)));
    }
  }

  /** What the kernel holds on to for this process; nothing where it does not tell. */
  private static List<String> mappedFiles() throws IOException {
    Path maps = Path.of("/proc/self/maps");
    return Files.exists(maps) ? Files.readAllLines(maps) : List.of();
  }

  private void runAll(List<Callable<Void>> tasks) throws Exception {
    for (Future<Void> done : threads.invokeAll(tasks, 5, TimeUnit.MINUTES)) {
      done.get();
    }
  }
}
