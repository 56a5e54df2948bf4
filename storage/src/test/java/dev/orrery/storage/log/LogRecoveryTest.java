package dev.orrery.storage.log;

import static dev.orrery.storage.log.Groups.bytes;
import static dev.orrery.storage.log.Groups.crash;
import static dev.orrery.storage.log.Groups.group;
import static dev.orrery.storage.log.Groups.segmentFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageException.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class LogRecoveryTest {

  private static final LogOptions OPTIONS =
      LogOptions.defaults().withSegmentBytes(8 << 10).withFsync(false);

  @TempDir Path root;

  private Path write(int groups, boolean durableEach) throws IOException {
    Path directory = root.resolve("original");
    try (Log log = Log.open(directory, OPTIONS.withFsync(true).withFlushMillis(1_000_000))) {
      for (int i = 1; i <= groups; i++) {
        log.append(group("payload of group " + i));
        if (durableEach) {
          log.awaitDurable(i);
        }
      }
      return crash(directory, root.resolve("crashed"));
    }
  }

  private static void assertHasGroups(Log log, int count) {
    assertThat(log.lastLsn()).isEqualTo(count);
    LogCursor cursor = log.from(1);
    for (int i = 1; i <= count; i++) {
      LogGroup group = cursor.next();
      assertThat(group.lsn()).isEqualTo(i);
      assertThat(group.payload(0)).isEqualTo(bytes("payload of group " + i));
    }
    assertThat(cursor.next()).isNull();
    assertThat(log.verify()).isEmpty();
  }

  private static StorageException assertCorrupt(Path directory) {
    try (Log log = Log.open(directory, OPTIONS)) {
      throw new AssertionError("opened with LSN " + log.lastLsn());
    } catch (StorageException e) {
      assertThat(e.reason()).as(e.getMessage()).isEqualTo(Reason.CORRUPT);
      return e;
    }
  }

  @Test
  void aDirectoryInThePlaceOfAFileIsReportedWithTheAdvice() throws IOException {
    Path directory = write(400, false);
    for (String name : List.of("0000000000000001.log", "0000000000000002.log", "manifest")) {
      Path file = directory.resolve(name);
      Path aside = root.resolve("aside");
      Files.move(file, aside);
      Files.createDirectory(file);
      assertThat(assertCorrupt(directory))
          .hasMessageContaining(file + " at offset 0")
          .hasMessageContaining("orrery salvage");
      assertThatThrownBy(() -> new LogCheck(directory, line -> {}).run())
          .isInstanceOf(StorageException.class)
          .hasMessageContaining(file + " at offset 0")
          .hasMessageContaining("orrery salvage");
      Files.delete(file);
      Files.move(aside, file);
    }
    try (Log log = Log.open(directory, OPTIONS)) {
      assertHasGroups(log, 400);
    }
  }

  @Test
  void aFileThatTheDeviceDoesNotGiveIsReportedWithTheAdvice() throws IOException {
    Path unreadable = Path.of("/proc/self/mem");
    assumeTrue(Files.exists(unreadable));
    Path directory = write(400, false);
    Path file = directory.resolve("manifest");
    Files.delete(file);
    Files.createSymbolicLink(file, unreadable);
    assertThat(assertCorrupt(directory))
        .hasMessageContaining(file + " at offset 0")
        .hasMessageContaining("orrery salvage");
  }

  @Test
  void aKilledLogHasEveryGroup() throws IOException {
    try (Log log = Log.open(write(20, false), OPTIONS)) {
      assertHasGroups(log, 20);
    }
  }

  @Test
  void aTailTornAtAnyByteVanishesWhole() throws IOException {
    Path crashed = write(3, true);
    Path file = segmentFile(crashed, 1);
    byte[] whole = Files.readAllBytes(file);
    int groupBytes = (int) group("payload of group 3").encodedBytes();
    int start = Format.SEGMENT_HEADER_BYTES + 2 * groupBytes;
    for (int kept = 0; kept <= groupBytes; kept++) {
      byte[] zeroed = whole.clone();
      Arrays.fill(zeroed, start + kept, whole.length, (byte) 0);
      byte[] cut = Arrays.copyOf(whole, start + kept);
      byte[] garbage = cut.length < start + groupBytes ? withGarbage(whole, start + kept) : whole;
      for (byte[] torn : List.of(zeroed, cut, garbage)) {
        Files.write(file, torn);
        reopenAndAppend(crashed, kept == groupBytes ? 3 : 2);
      }
    }
  }

  @Test
  void aTornTailIsToldOfAndAWholeOneIsNot() throws IOException {
    Path crashed = write(3, true);
    Path file = segmentFile(crashed, 1);
    assertThat(warningsOfOpening(crashed)).isEmpty();
    Files.delete(crashed.resolve("lock"));
    byte[] whole = Files.readAllBytes(file);
    int groupBytes = (int) group("payload of group 3").encodedBytes();
    int cut = Format.SEGMENT_HEADER_BYTES + 2 * groupBytes;
    byte[] torn = whole.clone();
    Arrays.fill(torn, cut + groupBytes - 10, whole.length, (byte) 0);
    Files.write(file, torn);
    assertThat(warningsOfOpening(crashed))
        .singleElement(InstanceOfAssertFactories.STRING)
        .contains(file + " is cut at offset " + cut, (groupBytes - 10) + " bytes behind it");
  }

  private static List<String> warningsOfOpening(Path directory) {
    var lines = new ListAppender<ILoggingEvent>();
    lines.start();
    var logger = (Logger) LoggerFactory.getLogger(LogRecovery.class);
    logger.addAppender(lines);
    try (Log log = Log.open(directory, OPTIONS)) {
      assertThat(log.lastLsn()).isPositive();
    } finally {
      logger.detachAppender(lines);
    }
    return lines.list.stream()
        .filter(event -> event.getLevel() == Level.WARN)
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  private static byte[] withGarbage(byte[] whole, int from) {
    byte[] torn = whole.clone();
    for (int i = from; i < torn.length; i++) {
      torn[i] ^= (byte) 0xa5;
    }
    return torn;
  }

  private static void reopenAndAppend(Path directory, int groups) {
    try (Log log = Log.open(directory, OPTIONS)) {
      assertHasGroups(log, groups);
      log.append(group("payload of group " + (groups + 1)));
    }
    try (Log log = Log.open(directory, OPTIONS)) {
      assertHasGroups(log, groups + 1);
    }
  }

  @Test
  void aGroupBehindATornOneNeverComesBack() throws IOException {
    Path crashed = write(3, false);
    int groupBytes = (int) group("payload of group 2").encodedBytes();
    flip(segmentFile(crashed, 1), Format.SEGMENT_HEADER_BYTES + groupBytes + 50);
    Path again;
    try (Log log = Log.open(crashed, OPTIONS)) {
      assertHasGroups(log, 1);
      log.append(group("payload of group 2"));
      again = crash(crashed, root.resolve("again"));
    }
    try (Log log = Log.open(again, OPTIONS)) {
      assertHasGroups(log, 2);
    }
  }

  @Test
  void damageToADurableGroupOfTheLastSegmentIsReportedAndNotCut() throws IOException {
    Path crashed = write(20, true);
    Path file = segmentFile(crashed, 1);
    byte[] whole = Files.readAllBytes(file);
    int end = endOfGroups(crashed);
    int lastGroup = end - (int) group("payload of group 20").encodedBytes();
    for (int at = 0; at < lastGroup; at += 7) {
      flip(file, at);
      StorageException failure = assertCorrupt(crashed);
      assertThat(failure).hasMessageContaining(file.toString()).hasMessageContaining("offset");
      Files.write(file, whole);
    }
    flip(file, lastGroup + 60);
    try (Log log = Log.open(crashed, OPTIONS)) {
      assertHasGroups(log, 19);
    }
  }

  private int endOfGroups(Path directory) throws IOException {
    try (Log log = Log.open(crash(directory, root.resolve("copy")), OPTIONS)) {
      return (int) log.segments().get(0).bytes();
    }
  }

  @Test
  void everyFlippedByteOfASealedSegmentIsFound() throws IOException {
    Path crashed = write(200, false);
    Path file = segmentFile(crashed, 1);
    byte[] whole = Files.readAllBytes(file);
    var random = new Random(7);
    for (int i = 0; i < 150; i++) {
      int at = random.nextInt(whole.length);
      flip(file, at);
      assertFaultIsFound(crashed, file, at);
      Files.write(file, whole);
    }
  }

  private static void assertFaultIsFound(Path directory, Path file, int flipped) {
    try (Log log = Log.open(directory, OPTIONS)) {
      LogFault fault = log.verify().orElseThrow();
      assertThat(fault.file()).isEqualTo(file);
      assertThat(fault.offset()).isLessThanOrEqualTo(flipped);
      assertThatThrownBy(() -> readAll(log.from(1)))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining(file.toString());
    } catch (StorageException e) {
      assertThat(e.reason()).isEqualTo(Reason.CORRUPT);
      assertThat(e).hasMessageContaining(file.toString());
    }
  }

  /** Reads to the end, or to the first group that is not what was written. */
  private static void readAll(LogCursor cursor) {
    for (LogGroup group = cursor.next(); group != null; group = cursor.next()) {
      assertThat(group.payload(0)).isEqualTo(bytes("payload of group " + group.lsn()));
    }
  }

  @Test
  void aFlippedByteIsNeverReadAsARecord() throws IOException {
    Path directory = root.resolve("live");
    try (Log log = Log.open(directory, OPTIONS)) {
      long position = log.append(group("payload of group 1")).positions()[0];
      flip(segmentFile(directory, 1), (int) position + Format.RECORD_HEADER_BYTES + 8);
      assertThatThrownBy(() -> log.readPayload(position))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining(segmentFile(directory, 1).toString())
          .hasMessageContaining("offset " + (int) position);
    }
  }

  @Test
  void aMissingSegmentIsReported() throws IOException {
    Path crashed = write(300, false);
    for (long number : List.of(1L, 2L, lastSegment(crashed))) {
      Path copy = crash(crashed, root.resolve("without" + number));
      Files.delete(segmentFile(copy, number));
      assertThat(assertCorrupt(copy)).hasMessageContaining(segmentFile(copy, number).toString());
    }
  }

  private static long lastSegment(Path directory) throws IOException {
    try (var files = Files.list(directory)) {
      return files.filter(Format::isSegmentFile).mapToLong(Format::segmentNumber).max().orElse(0);
    }
  }

  @Test
  void aMissingOrDamagedManifestIsReported() throws IOException {
    Path crashed = write(300, false);
    Path manifest = crashed.resolve(Manifest.FILE_NAME);
    flip(manifest, 17);
    assertThat(assertCorrupt(crashed)).hasMessageContaining(manifest.toString());
    Files.delete(manifest);
    assertThat(assertCorrupt(crashed)).hasMessageContaining(manifest.toString());
  }

  @Test
  void aCrashWhileASegmentIsBegunLosesNothing() throws Exception {
    Path crashed = write(300, false);
    long last = lastSegment(crashed);
    var manifest = new Manifest(new DiskFiles(), crashed);
    SortedSet<Long> all = manifest.read();
    manifest.write(new TreeSet<>(all.headSet(last)), false);
    Files.write(crashed.resolve(Format.fileName(last + 1) + ".new"), new byte[10]);
    try (Log log = Log.open(crashed, OPTIONS)) {
      assertHasGroups(log, 300);
    }
    assertThat(manifest.read()).isEqualTo(all);
    assertThat(crashed.resolve(Format.fileName(last + 1) + ".new")).doesNotExist();
  }

  @Test
  void aDeletionThatACrashInterruptedIsFinished() throws Exception {
    Path crashed = write(300, false);
    var manifest = new Manifest(new DiskFiles(), crashed);
    SortedSet<Long> all = manifest.read();
    all.remove(2L);
    manifest.write(all, false);
    try (Log log = Log.open(crashed, OPTIONS)) {
      assertThat(log.segments()).extracting(SegmentInfo::number).doesNotContain(2L);
      assertThat(log.lastLsn()).isEqualTo(300);
      assertThat(log.verify()).isEmpty();
    }
    assertThat(segmentFile(crashed, 2)).doesNotExist();
  }

  @Test
  void aFileOfAnotherVersionIsNotTouched() throws IOException {
    refusedWithVersion(Format.VERSION + 1, "a newer version of Orrery wrote it");
    refusedWithVersion(1, "export the data with that version (orrery export)");
  }

  private void refusedWithVersion(int version, String advice) throws IOException {
    Path crashed = write(3, false);
    Path file = segmentFile(crashed, 1);
    byte[] bytes = Files.readAllBytes(file);
    var header = LogGroup.view(bytes);
    header.putInt(8, version).putInt(60, Format.checksum(header, 0, 60));
    Files.write(file, bytes);
    assertThatThrownBy(() -> Log.open(crashed, OPTIONS))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNUSABLE))
        .hasMessageContaining("format version " + version)
        .hasMessageContaining(advice);
    assertThat(Files.readAllBytes(file)).isEqualTo(bytes);
  }

  private static void flip(Path file, int at) throws IOException {
    try (var channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      channel.read(one, at);
      one.put(0, (byte) (one.get(0) ^ 0x10)).flip();
      channel.write(one, at);
    }
  }
}
