package dev.orrery.storage.log;

import static dev.orrery.storage.log.Groups.bytes;
import static dev.orrery.storage.log.Groups.group;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogTest {

  private static final LogOptions OPTIONS = LogOptions.defaults().withSegmentBytes(64 << 10);

  @TempDir Path directory;

  @Test
  void anAppendedGroupIsReadByPosition() {
    try (Log log = Log.open(directory, OPTIONS)) {
      Appended appended =
          log.append(
              new RecordGroup().add((byte) 1, bytes("a"), bytes("one")).add((byte) 2, bytes("b")));

      assertThat(appended.lsn()).isEqualTo(1);
      LogRecord first = log.read(appended.positions()[0]);
      assertThat(first.kind()).isEqualTo((byte) 1);
      assertThat(first.meta()).isEqualTo(bytes("a"));
      assertThat(first.payload()).isEqualTo(bytes("one"));
      assertThat(log.readPayload(appended.positions()[1])).isEmpty();
    }
  }

  @Test
  void lsnsContinueAfterARestart() {
    try (Log log = Log.open(directory, OPTIONS)) {
      log.append(group("one"));
      log.append(group("two"));
    }
    try (Log log = Log.open(directory, OPTIONS)) {
      assertThat(log.lastLsn()).isEqualTo(2);
      assertThat(log.durableLsn()).isEqualTo(2);
      assertThat(log.append(group("three")).lsn()).isEqualTo(3);
    }
  }

  @Test
  void aGroupIsDurableWhenItsFutureCompletes() {
    try (Log log = Log.open(directory, OPTIONS)) {
      Appended appended = log.append(group("one"));
      log.whenDurable(appended.lsn()).join();
      assertThat(log.durableLsn()).isEqualTo(appended.lsn());
      assertThat(log.whenDurable(appended.lsn())).isCompleted();
    }
  }

  @Test
  void anEmptyGroupIsRefused() {
    try (Log log = Log.open(directory, OPTIONS)) {
      assertThatThrownBy(() -> log.append(new RecordGroup()))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(log.lastLsn()).isZero();
    }
  }

  @Test
  void aDirectoryHasOneLogAtATime() {
    try (Log log = Log.open(directory, OPTIONS)) {
      assertThatThrownBy(() -> Log.open(directory, OPTIONS))
          .isInstanceOfSatisfying(
              StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNUSABLE));
      assertThat(log.append(group("still works")).lsn()).isEqualTo(1);
    }
  }

  @Test
  void aCursorReadsEveryGroupOfEverySegment() {
    try (Log log = Log.open(directory, OPTIONS)) {
      String text = "x".repeat(1000);
      for (int i = 1; i <= 500; i++) {
        log.append(group(text + i));
      }
      log.awaitDurable(log.lastLsn());
      assertThat(log.segments()).hasSizeGreaterThan(5);
      LogCursor cursor = log.from(250);
      for (int i = 250; i <= 500; i++) {
        LogGroup group = cursor.next();
        assertThat(group.lsn()).isEqualTo(i);
        assertThat(group.payload(0)).isEqualTo(bytes(text + i));
        assertThat(log.readPayload(group.position(0))).isEqualTo(group.payload(0));
      }
      assertThat(cursor.next()).isNull();
    }
  }

  @Test
  void anEmptyLogTakesLittleDisk() throws IOException {
    Log.open(directory, LogOptions.defaults()).close();
    assertThat(Files.size(Groups.segmentFile(directory, 1))).isLessThan(1 << 10);
  }

  @Test
  void aClosedLogRefusesEverything() {
    Log log = Log.open(directory, OPTIONS);
    Appended appended = log.append(group("one"));
    log.close();
    log.close();

    assertUnavailable(() -> log.append(group("two")));
    assertUnavailable(() -> log.read(appended.positions()[0]));
    assertUnavailable(() -> log.deleteSegment(1));
    assertUnavailable(() -> log.from(1).next());
    assertUnavailable(log::firstLsn);
  }

  private static void assertUnavailable(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE));
  }

  @Test
  void withoutFsyncAppendedIsDurable() {
    try (Log log = Log.open(directory, OPTIONS.withFsync(false))) {
      Appended appended = log.append(group("one"));
      assertThat(log.whenDurable(appended.lsn())).isCompleted();
      assertThat(log.from(1).next().lsn()).isEqualTo(1);
    }
  }

  @Test
  void aGroupThatNobodyWaitsForIsForcedAllTheSame() throws Exception {
    try (Log log = Log.open(directory, OPTIONS.withFlushMillis(1))) {
      log.append(group("one"));
      assertThat(log.from(1).next(Duration.ofMinutes(1)).lsn()).isEqualTo(1);
    }
  }

  @Test
  void aCursorAtTheEndWaitsForTheNextGroup() throws Exception {
    try (Log log = Log.open(directory, OPTIONS)) {
      LogCursor cursor = log.from(1);
      assertThat(cursor.next(Duration.ofMillis(1))).isNull();
      var group = CompletableFuture.supplyAsync(() -> next(cursor));
      log.awaitDurable(log.append(group("one")).lsn());
      assertThat(group.get(1, TimeUnit.MINUTES).payload(0)).isEqualTo(bytes("one"));
    }
  }

  private static LogGroup next(LogCursor cursor) {
    try {
      return cursor.next(Duration.ofMinutes(1));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void timestampsNeverGoBack() {
    var now = new AtomicLong(5_000);
    Clock clock = new SettableClock(now);
    try (Log log = Log.open(directory, OPTIONS.withFsync(false).withClock(clock))) {
      log.append(group("one"));
      now.set(4_000);
      log.append(group("x".repeat(70_000))); // In a segment of its own.
      LogCursor cursor = log.from(1);
      assertThat(cursor.next().stamp().millis()).isEqualTo(5_000);
      assertThat(cursor.next().stamp().millis()).isEqualTo(5_000);
    }
  }

  @Test
  void clusterTimesOnlyGrowOverRestartsAndClocksThatGoBack() {
    var now = new AtomicLong(5_000);
    LogOptions options = OPTIONS.withClock(new SettableClock(now));
    long last = 0;
    for (int start = 0; start < 4; start++) {
      try (Log log = Log.open(directory, options)) {
        for (int i = 0; i < 3; i++) {
          long time = log.append(group("x".repeat(30_000))).stamp().time(); // two in a segment
          assertThat(time).isGreaterThan(last);
          last = time;
        }
      }
      now.addAndGet(-1_000);
    }
    assertThat(last >>> 32).isEqualTo(5);
    now.set(9_000);
    try (Log log = Log.open(directory, options)) {
      assertThat(log.append(group("late")).stamp().time()).isBetween(9L << 32, 10L << 32);
      LogCursor cursor = log.from(12);
      assertThat(cursor.next().stamp().time()).isEqualTo(last);
    }
  }

  @Test
  void aSegmentWithoutGroupsKnowsTheTimeBeforeIt() throws IOException {
    var now = new AtomicLong(5_000);
    LogOptions options = OPTIONS.withClock(new SettableClock(now));
    long time;
    try (Log log = Log.open(directory, options)) {
      time = log.append(group("x".repeat(70_000))).stamp().time();
      log.append(group("x".repeat(70_000)));
    }
    Path last = directory.resolve(Format.fileName(3));
    byte[] bytes = Files.readAllBytes(last);
    Files.write(last, java.util.Arrays.copyOf(bytes, Format.SEGMENT_HEADER_BYTES)); // torn
    now.set(1_000);
    try (Log log = Log.open(directory, options)) {
      assertThat(log.lastLsn()).isEqualTo(1);
      assertThat(log.append(group("next")).stamp().time()).isEqualTo(time + 1);
    }
  }

  @Test
  void aCopyKeepsTheVersionThatItCopies() {
    try (Log log = Log.open(directory, OPTIONS)) {
      log.append(group("one"));
      long original = log.append(group("two")).positions()[0];
      LogRecord record = log.read(original);
      assertThat(record.versionLsn()).isEqualTo(2);
      var copies = new RecordGroup().addCopy((byte) 4, record.meta(), record.payload(), 2);
      Appended appended = log.append(copies.add((byte) 1, bytes("m"), bytes("own")));
      assertThat(log.read(appended.positions()[0]).versionLsn()).isEqualTo(2);
      assertThat(log.read(appended.positions()[1]).versionLsn()).isEqualTo(3);
      log.awaitDurable(3);
      LogGroup group = log.from(3).next();
      assertThat(group.versionLsn(0)).isEqualTo(2);
      assertThat(group.record(1).versionLsn()).isEqualTo(3);
    }
  }

  @Test
  void anInterruptedWriterDoesNotStopTheLog() {
    try (Log log = Log.open(directory, OPTIONS)) {
      for (int i = 0; i < 200; i++) {
        Thread.currentThread().interrupt();
        Appended appended = log.append(group("x".repeat(1000)));
        log.awaitDurable(appended.lsn());
        assertThat(Thread.interrupted()).isTrue();
      }
      assertThat(log.segments()).hasSizeGreaterThan(2);
      assertThat(log.verify()).isEmpty();
    }
  }

  @Test
  void oneCallersCancelledFutureLeavesTheOthersAlone() {
    try (Log log = Log.open(directory, OPTIONS)) {
      long lsn = log.append(group("one")).lsn();
      log.whenDurable(lsn).cancel(true);
      log.whenDurable(lsn).join();
      assertThat(log.durableLsn()).isEqualTo(lsn);
    }
  }

  /** A clock that shows what a test sets. */
  private static final class SettableClock extends Clock {
    private final AtomicLong millis;

    SettableClock(AtomicLong millis) {
      this.millis = millis;
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }

    @Override
    public Instant instant() {
      return Instant.ofEpochMilli(millis.get());
    }
  }
}
