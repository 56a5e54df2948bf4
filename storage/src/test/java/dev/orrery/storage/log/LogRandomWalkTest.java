package dev.orrery.storage.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageException.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random groups, reads, deletions, restarts and crashes, compared with a map. */
class LogRandomWalkTest {

  private record Written(long[] positions, List<LogRecord> records) {}

  @TempDir Path root;

  private final TreeMap<Long, Written> model = new TreeMap<>();
  private LogOptions options;
  private Random random;
  private Path directory;
  private Log log;
  private int crashes;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void theLogIsWhatWasAppended(int seed) throws IOException {
    random = new Random(seed);
    options =
        LogOptions.defaults()
            .withSegmentBytes(LogOptions.SEGMENT_BYTES_MIN << random.nextInt(6))
            .withFsync(seed % 2 == 0);
    directory = root.resolve("log");
    log = Log.open(directory, options);
    try {
      for (int step = 0; step < 1000; step++) {
        step(random.nextInt(200));
      }
      compareAll();
    } finally {
      log.close();
    }
  }

  private void step(int choice) throws IOException {
    if (choice < 150) {
      append();
    } else if (choice < 190) {
      readOne();
    } else if (choice < 194) {
      deleteOne();
    } else if (choice < 197) {
      log.close();
      log = Log.open(directory, options);
    } else if (choice < 199) {
      Path crashed = Groups.crash(directory, root.resolve("crash" + crashes++));
      log.close();
      directory = crashed;
      log = Log.open(directory, options);
    } else {
      compareAll();
    }
  }

  private void append() {
    int payloadBytesMax = random.nextInt(20) == 0 ? 20_000 : 200;
    List<LogRecord> records = Groups.randomRecords(random, 5, payloadBytesMax);
    long lastLsn = log.lastLsn();
    Appended appended = log.append(Groups.group(records));
    assertThat(appended.lsn()).isEqualTo(lastLsn + 1);
    model.put(appended.lsn(), new Written(appended.positions(), records));
  }

  private void readOne() {
    if (!model.isEmpty()) {
      Long lsn = model.floorKey(1 + (long) random.nextInt((int) log.lastLsn()));
      Written written = model.get(lsn == null ? model.firstKey() : lsn);
      int index = random.nextInt(written.records.size());
      LogRecord record = log.read(written.positions[index]);
      assertSame(record, written.records.get(index));
      assertThat(log.readPayload(written.positions[index])).isEqualTo(record.payload());
    }
  }

  private void deleteOne() {
    List<SegmentInfo> segments = log.segments();
    SegmentInfo segment = segments.get(random.nextInt(segments.size()));
    if (segment.sealed()) {
      log.deleteSegment(segment.number());
      var deleted = model.subMap(segment.firstLsn(), true, segment.lastLsn(), true);
      deleted.values().forEach(written -> assertGone(written.positions[0]));
      deleted.clear();
    }
  }

  private void assertGone(long position) {
    assertThatThrownBy(() -> log.read(position))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.LOG_TRIMMED));
  }

  private void compareAll() {
    log.awaitDurable(log.lastLsn());
    LogCursor cursor = log.from(1);
    for (var expected : model.entrySet()) {
      LogGroup group = cursor.next();
      assertThat(group.lsn()).isEqualTo(expected.getKey());
      List<LogRecord> records = expected.getValue().records;
      assertThat(group.size()).isEqualTo(records.size());
      for (int i = 0; i < records.size(); i++) {
        assertSame(group.record(i), records.get(i));
        assertThat(group.position(i)).isEqualTo(expected.getValue().positions[i]);
      }
    }
    assertThat(cursor.next()).isNull();
    assertThat(log.verify()).isEmpty();
  }

  private static void assertSame(LogRecord actual, LogRecord expected) {
    assertThat(actual.kind()).isEqualTo(expected.kind());
    assertThat(actual.meta()).isEqualTo(expected.meta());
    assertThat(actual.payload()).isEqualTo(expected.payload());
  }
}
