package dev.orrery.storage.log;

import static dev.orrery.storage.log.Groups.bytes;
import static dev.orrery.storage.log.Groups.group;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Groups and records at and past the edges of what the log holds. */
class LogSizesTest {

  private static final LogOptions OPTIONS =
      LogOptions.defaults().withSegmentBytes(64 << 10).withFsync(false);

  @TempDir Path directory;

  @Test
  void aGroupLargerThanASegmentHasASegmentOfItsOwn() {
    byte[] large = randomBytes(3 << 20);
    try (Log log = Log.open(directory, OPTIONS)) {
      log.append(group("before"));
      log.append(new RecordGroup().add((byte) 7, bytes("m"), large).add((byte) 8, bytes("n")));
      log.append(group("after"));
    }
    try (Log log = Log.open(directory, OPTIONS)) {
      assertThat(log.segments()).hasSize(3);
      LogCursor cursor = log.from(2);
      LogGroup group = cursor.next();
      assertThat(group.payload(0)).isEqualTo(large);
      assertThat(group.meta(1)).isEqualTo(bytes("n"));
      assertThat(log.read(group.position(0)).payload()).isEqualTo(large);
      assertThat(cursor.next().payload(0)).isEqualTo(bytes("after"));
      assertThat(log.verify()).isEmpty();
    }
  }

  @Test
  void theFirstGroupMayBeLargerThanASegment() {
    try (Log log = Log.open(directory, OPTIONS)) {
      log.append(new RecordGroup().add((byte) 1, bytes("m"), randomBytes(200 << 10)));
    }
    try (Log log = Log.open(directory, OPTIONS)) {
      assertThat(log.from(1).next().payloadLength(0)).isEqualTo(200 << 10);
      assertThat(log.verify()).isEmpty();
    }
  }

  @Test
  void aGroupMayHaveAHundredThousandRecords() {
    var group = new RecordGroup();
    for (int i = 0; i < 100_000; i++) {
      group.add((byte) i, bytes("m" + i), bytes("payload " + i));
    }
    try (Log log = Log.open(directory, OPTIONS)) {
      Appended appended = log.append(group);
      for (int i = 0; i < 100_000; i += 997) {
        LogRecord record = log.read(appended.positions()[i]);
        assertThat(record.kind()).isEqualTo((byte) i);
        assertThat(record.meta()).isEqualTo(bytes("m" + i));
        assertThat(record.payload()).isEqualTo(bytes("payload " + i));
      }
    }
    try (Log log = Log.open(directory, OPTIONS)) {
      LogGroup read = log.from(1).next();
      assertThat(read.size()).isEqualTo(100_000);
      assertThat(read.payload(99_999)).isEqualTo(bytes("payload 99999"));
    }
  }

  @Test
  void theLargestDocumentFitsAndALargerRecordIsRefused() {
    byte[] largest = randomBytes(RecordGroup.PAYLOAD_BYTES_MAX);
    try (Log log = Log.open(directory, OPTIONS)) {
      long[] positions =
          log.append(new RecordGroup().add((byte) 1, bytes(""), largest)).positions();
      assertThat(log.readPayload(positions[0])).isEqualTo(largest);
      assertThatThrownBy(
              () -> new RecordGroup().add((byte) 1, bytes(""), new byte[largest.length + 1]))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(
              () -> new RecordGroup().add((byte) 1, new byte[RecordGroup.META_BYTES_MAX + 1]))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void aGroupPastTheLimitIsRefused() {
    byte[] payload = new byte[16 << 20];
    var group = new RecordGroup();
    for (int i = 0; i < 63; i++) {
      group.add((byte) 1, bytes(""), payload);
    }
    assertThatThrownBy(() -> group.add((byte) 1, bytes(""), payload))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(group.size()).isEqualTo(63);
  }

  private static byte[] randomBytes(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }
}
