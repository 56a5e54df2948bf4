package dev.orrery.storage.log;

import static dev.orrery.storage.log.Groups.crash;
import static dev.orrery.storage.log.Groups.group;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the log does on a device that is full or broken. */
class LogFailureTest {

  private static final LogOptions OPTIONS =
      LogOptions.defaults().withSegmentBytes(256 << 10).withFlushMillis(1_000_000);

  @TempDir Path root;

  private final FaultyFiles files = new FaultyFiles();

  private Log open() {
    return Log.open(root.resolve("log"), OPTIONS, files);
  }

  private static void assertFails(Reason reason, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StorageException.class,
            e -> assertThat(e.reason()).as(e.getMessage()).isEqualTo(reason));
  }

  private static RecordGroup large(int number) {
    return group(number + "x".repeat(20_000));
  }

  @Test
  void aFullDiskRefusesAppendsWhereverItStrikesAndChangesNothing() throws IOException {
    try (Log log = open()) {
      List<Appended> done = new ArrayList<>();
      for (int i = 1; i <= 60; i++) { // Five segments.
        for (long room = 0; room < 100_000; room += 17_001) {
          files.roomBytes = room;
          tryAppend(log, i, done);
          if (done.size() == i) {
            break;
          }
        }
        files.roomBytes = Long.MAX_VALUE;
        if (done.size() < i) {
          done.add(log.append(large(i)));
        }
      }
      assertHasAll(log, done);
      assertThat(log.segments()).hasSizeGreaterThan(3);
      try (Log copy = Log.open(crash(root.resolve("log"), root.resolve("copy")), OPTIONS)) {
        assertHasAll(copy, done);
      }
    }
  }

  @Test
  void aDiskThatIsFullInTheMidstOfALargeGroupChangesNothing() throws IOException {
    LogOptions options = OPTIONS.withSegmentBytes(8 << 20);
    try (Log log = Log.open(root.resolve("log"), options, files)) {
      List<Appended> done = new ArrayList<>();
      for (int bytes : new int[] {300_000, 2_500_000, 1_000, 2_500_000}) {
        RecordGroup group = group(done.size() + 1 + "x".repeat(bytes));
        for (long room = 0; room < group.encodedBytes(); room += 1 + bytes / 7) {
          files.roomBytes = room;
          assertFails(Reason.DISK_FULL, () -> log.append(group));
        }
        files.roomBytes = Long.MAX_VALUE;
        done.add(log.append(group));
      }
      assertThat(log.lastLsn()).isEqualTo(done.size());
      assertHasAll(log, done);
      try (Log copy = Log.open(crash(root.resolve("log"), root.resolve("copy")), options)) {
        assertHasAll(copy, done);
      }
    }
  }

  @Test
  void aLargeGroupIsWrittenWithoutZerosBeforeIt() {
    try (Log log = Log.open(root.resolve("log"), OPTIONS.withSegmentBytes(8 << 20), files)) {
      RecordGroup group = group("x".repeat(1_400_000));
      long before = files.writtenBytes;
      log.append(group);
      assertThat(files.writtenBytes - before).isEqualTo(group.encodedBytes());
    }
  }

  private static void tryAppend(Log log, int number, List<Appended> done) {
    long lastLsn = log.lastLsn();
    try {
      done.add(log.append(large(number)));
    } catch (StorageException e) {
      assertThat(e.reason()).isEqualTo(Reason.DISK_FULL);
      assertThat(log.lastLsn()).isEqualTo(lastLsn);
    }
  }

  private static void assertHasAll(Log log, List<Appended> done) {
    assertThat(log.lastLsn()).isEqualTo(done.size());
    for (int i = 0; i < done.size(); i++) {
      assertThat(done.get(i).lsn()).isEqualTo(i + 1);
      assertThat(new String(log.readPayload(done.get(i).positions()[0]))).startsWith(i + 1 + "x");
    }
    assertThat(log.verify()).isEmpty();
  }

  @Test
  void readsGoOnWhileTheDiskIsFull() {
    try (Log log = open()) {
      long position = log.append(large(1)).positions()[0];
      files.roomBytes = 0;
      while (log.lastLsn() < 100) {
        try {
          log.append(large(2));
        } catch (StorageException e) {
          break;
        }
      }
      assertFails(Reason.DISK_FULL, () -> log.append(large(3)));
      assertThat(log.readPayload(position)).hasSize(20_001);
      files.roomBytes = Long.MAX_VALUE;
      long lastLsn = log.lastLsn();
      assertThat(log.append(large(4)).lsn()).isEqualTo(lastLsn + 1);
    }
  }

  @Test
  void aLogOpensAndClosesOnAFullDisk() throws IOException {
    List<Appended> done = new ArrayList<>();
    Path crashed;
    try (Log log = open()) {
      for (int i = 1; i <= 20; i++) {
        done.add(log.append(large(i)));
      }
      crashed = crash(root.resolve("log"), root.resolve("crashed"));
    }
    for (Path directory : List.of(root.resolve("log"), crashed)) {
      files.roomBytes = 0;
      try (Log log = Log.open(directory, OPTIONS, files)) {
        assertHasAll(log, done);
        assertFails(Reason.DISK_FULL, () -> log.append(large(21)));
      }
      files.roomBytes = Long.MAX_VALUE;
      try (Log log = Log.open(directory, OPTIONS, files)) {
        assertHasAll(log, done);
        assertThat(log.append(large(21)).lsn()).isEqualTo(21);
      }
    }
  }

  @Test
  void aFailedFsyncFailsEveryPromiseAndIsNotRepeated() {
    try (Log log = open()) {
      long position = log.append(group("durable")).positions()[0];
      log.awaitDurable(1);
      long lost = log.append(group("not durable")).lsn();
      files.isForceBroken = true;
      assertFails(Reason.UNAVAILABLE, () -> log.awaitDurable(lost));
      files.isForceBroken = false;
      int forces = files.forces;

      assertFails(Reason.UNAVAILABLE, () -> log.awaitDurable(lost));
      assertFails(Reason.UNAVAILABLE, () -> log.append(group("later")));
      assertThatThrownBy(() -> log.whenDurable(lost).join())
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(StorageException.class);
      log.awaitDurable(1);
      assertThat(log.durableLsn()).isEqualTo(1);
      assertThat(log.readPayload(position)).isEqualTo(Groups.bytes("durable"));
      assertThat(files.forces).isEqualTo(forces);
    }
  }

  @Test
  void aFailedFsyncOfASegmentThatIsSealedStopsTheLog() {
    try (Log log = open()) {
      log.append(large(1));
      files.isForceBroken = true;
      assertThatThrownBy(
              () -> {
                for (int i = 2; i < 100; i++) {
                  log.append(large(i));
                }
              })
          .isInstanceOf(StorageException.class);
      files.isForceBroken = false;
      assertThat(log.segments()).hasSize(1);
    }
  }

  @Test
  void aSegmentThatCannotBeInstalledIsTriedAgainLater() throws IOException {
    try (Log log = open()) {
      List<Appended> done = new ArrayList<>();
      for (int i = 1; i <= 40; i++) {
        files.isRenameBroken = i % 3 == 0;
        try {
          done.add(log.append(large(i)));
        } catch (StorageException e) {
          assertThat(e.reason()).isEqualTo(Reason.IO);
          files.isRenameBroken = false;
          done.add(log.append(large(i)));
        }
      }
      files.isRenameBroken = false;
      assertHasAll(log, done);
      try (Log copy = Log.open(crash(root.resolve("log"), root.resolve("copy")), OPTIONS)) {
        assertHasAll(copy, done);
      }
    }
  }

  @Test
  void aDirectoryThatCannotBeForcedStopsTheLogAndLosesNothing() throws IOException {
    try (Log log = open()) {
      List<Appended> done = new ArrayList<>();
      files.isDirectoryBroken = true;
      assertThatThrownBy(
              () -> {
                for (int i = 1; i < 100; i++) {
                  done.add(log.append(large(i)));
                }
              })
          .isInstanceOf(StorageException.class);
      files.isDirectoryBroken = false;
      assertFails(Reason.UNAVAILABLE, () -> log.append(large(100)));
      try (Log copy = Log.open(crash(root.resolve("log"), root.resolve("copy")), OPTIONS)) {
        assertHasAll(copy, done);
        done.add(copy.append(large(done.size() + 1)));
        assertHasAll(copy, done);
      }
    }
  }

  @Test
  void anAppendThatCannotBeUndoneStopsTheLog() {
    try (Log log = open()) {
      long position = log.append(large(1)).positions()[0];
      files.isResizeBroken = true;
      files.roomBytes = 0;
      assertThatThrownBy(
              () -> {
                for (int i = 2; i < 100; i++) {
                  log.append(large(i));
                }
              })
          .isInstanceOf(StorageException.class);
      files.isResizeBroken = false;
      files.roomBytes = Long.MAX_VALUE;
      assertFails(Reason.UNAVAILABLE, () -> log.append(large(3)));
      assertThat(log.readPayload(position)).hasSize(20_001);
    }
  }

  @Test
  void aPathThatIsNoDirectoryIsReported() throws IOException {
    Path directory = root.resolve("file");
    Files.writeString(directory, "not a directory");
    assertThatThrownBy(() -> Log.open(directory, OPTIONS)).isInstanceOf(StorageException.class);
  }
}
