package dev.orrery.storage.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageException.Reason;
import java.nio.file.Path;
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

  private static RecordGroup group(String payload) {
    return new RecordGroup().add((byte) 1, bytes("meta"), bytes(payload));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
  }
}
