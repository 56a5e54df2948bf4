package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.storage.NoHooks;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageException.Reason;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.keyindex.KeyIndexProcess;
import dev.orrery.storage.log.LogCheck;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A disk without room, and a process without file handles: writes are refused, reads go on, nothing
 * acknowledged is lost, and writes resume.
 */
final class FullDiskTest {
  private static final int DISK_MEGABYTES = 24;
  private static final int DOCUMENTS_MAX = 10_000;

  @TempDir Path root;
  private Path disk;

  @AfterEach
  void unmount() throws Exception {
    if (disk != null) {
      run("umount", disk.toString());
    }
  }

  private void mount() throws Exception {
    Path point = Files.createDirectory(root.resolve("disk"));
    boolean isMounted =
        run(
            "mount",
            "-t",
            "tmpfs",
            "-o",
            "size=" + DISK_MEGABYTES + "m",
            "tmpfs",
            point.toString());
    Assumptions.assumeTrue(isMounted, "a small disk can be mounted only by root");
    disk = point;
  }

  static boolean run(String... command) throws InterruptedException {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getInputStream().readAllBytes();
      return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return false; // there is no such command here
    }
  }

  @Test
  void aFullDiskRefusesWritesServesReadsAndRecovers() throws Exception {
    mount();
    Path ballast = Files.write(disk.resolve("ballast"), new byte[8 << 20]);
    try (var store =
        new EngineHarness(disk.resolve("store"), EngineHarness.quiet(), new NoHooks())) {
      store.create(null, "{key: {v: 1}, name: 'v_1'}");
      int written = fillUp(store, 0);
      assertThat(written).isBetween(500, DOCUMENTS_MAX - 1);
      // Somebody else takes the rest, to the last byte.
      fillUp(disk.resolve("rest"));
      for (int i = 0; i < 5; i++) {
        assertThatThrownBy(() -> store.insert(EngineHarness.document(DOCUMENTS_MAX, 8_000)))
            .isInstanceOfSatisfying(
                StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.DISK_FULL));
      }
      assertThatThrownBy(store.engine::checkpoint).isInstanceOf(StorageException.class);
      assertThat(store.contents()).hasSize(written);

      Files.delete(disk.resolve("rest"));
      Files.delete(ballast);
      TimeUnit.MILLISECONDS.sleep(50); // free room is looked for a few times a second
      int more = fillUp(store, written);
      assertThat(more).isPositive();
      Path copy = root.resolve("copy");
      assertThat(run("cp", "-r", store.directory.toString(), copy.toString())).isTrue();
      try (var after = new EngineHarness(copy)) {
        assertThat(after.contents()).hasSize(written + more);
        after.engine.verify();
      }
      store.delete(0);
      // Deleting and dropping must be possible just when there is no room.
      assertThat(store.engine.drop(store.store())).isTrue();
    }
  }

  @Test
  void whatMakesRoomIsAllowedWhenWritesAreNot() throws Exception {
    mount();
    try (var store =
        new EngineHarness(disk.resolve("store"), EngineHarness.quiet(), new NoHooks())) {
      store.create(null, "{key: {v: 1}, name: 'v_1'}");
      store.engine.putSetting("kind", BsonDocument.parse("{_id: 'one'}"));
      fillUp(store, 0);
      fillUp(disk.resolve("rest"), 64 << 10); // less than any reserve
      assertThat(store.engine.dropIndex(store.store(), "v_1")).isTrue();
      assertThat(store.engine.removeSetting("kind", "one")).isTrue();
      assertThat(store.engine.drop(store.store())).isTrue();
    }
  }

  @Test
  void deletesMakeRoomOnAFullDiskAlsoInTheSegmentThatIsWrittenTo() throws Exception {
    mount();
    try (var store =
        new EngineHarness(disk.resolve("store"), EngineOptions.defaults(), new NoHooks())) {
      store.create(null, "{key: {v: 1}, name: 'v_1', unique: true}");
      int first = fillUp(store, 0); // one segment has room for more than the disk
      assertThat(first).isBetween(500, DOCUMENTS_MAX - 1);
      for (int i = 0; i < first; i++) {
        if (i % 8 != 0) {
          store.delete(i);
        }
      }
      int second = 0;
      for (int i = 0; i < 300 && second < first / 2; i++) {
        TimeUnit.MILLISECONDS.sleep(50);
        second += fillUp(store, first + second);
      }
      assertThat(second).isGreaterThanOrEqualTo(first / 2);
      assertThat(store.contents()).hasSize((first + 7) / 8 + second);
      store.engine.verify();
    }
    try (var after = new EngineHarness(disk.resolve("store"))) {
      after.engine.verify();
    }
  }

  @Test
  void aBuildOrASplitThatFindsNoRoomGivesBackAtOnceWhatItTook() throws Exception {
    mount();
    try (var store =
        new EngineHarness(disk.resolve("store"), EngineHarness.quiet(), new NoHooks())) {
      store.create("_id");
      for (int i = 0; i < 1_500; i++) {
        store.insert(EngineHarness.document(i, 1_000));
      }
      store.engine.checkpoint();
      List<String> before = files(store);
      var slices = new AtomicInteger();
      Runnable takeAll =
          () -> {
            if (slices.incrementAndGet() == 5) {
              fillUp(disk.resolve("rest"));
            }
          };
      var index = IndexSpec.of(BsonDocument.parse("{key: {v: 1}, name: 'v_1', unique: true}"));
      assertDiskFull(
          () -> store.engine.createIndexes(store.store(), present -> List.of(index), takeAll));
      assertThat(files(store)).isEqualTo(before);
      Files.delete(disk.resolve("rest"));
      TimeUnit.MILLISECONDS.sleep(50);

      slices.set(0);
      String boundary = "20000000000000000000000000000000";
      assertDiskFull(() -> store.engine.split(store.store(), 0, boundary, takeAll));
      assertThat(files(store)).isEqualTo(before);
      Files.delete(disk.resolve("rest"));
      TimeUnit.MILLISECONDS.sleep(50);
      store.engine.createIndexes(store.store(), List.of(index));
      store.engine.split(store.store(), 0, boundary);
      assertThat(store.contents()).hasSize(1_500);
      store.engine.verify();
    }
  }

  private static void assertDiskFull(ThrowingCallable action) {
    assertThatThrownBy(action)
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.DISK_FULL));
  }

  /** Everything of partitions but scratch, whose names differ. */
  private static List<String> files(EngineHarness store) throws IOException {
    Path partitions = store.directory.resolve("partitions");
    try (Stream<Path> paths = Files.walk(partitions)) {
      return paths
          .map(path -> partitions.relativize(path).toString())
          .filter(name -> !name.endsWith(".map"))
          .sorted()
          .toList();
    }
  }

  @Test
  void aStoreWithoutAByteToSpareIsCheckedAndAStartSaysWhyItFails() throws Exception {
    mount();
    Path copy = disk.resolve("copy");
    try (var store =
        new EngineHarness(disk.resolve("store"), EngineHarness.quiet(), new NoHooks())) {
      store.create(null, "{key: {v: 1}, name: 'v_1', unique: true}");
      for (int i = 0; i < 300; i++) {
        store.insert(EngineHarness.document(i, 1_000));
      }
      store.engine.checkpoint();
      for (int i = 300; i < 600; i++) {
        store.insert(EngineHarness.document(i, 1_000));
      }
      // As after a kill: what lies behind the last group is a hole.
      run("cp", "-a", "--sparse=always", store.directory.toString(), copy.toString());
    }
    fillUp(disk.resolve("rest"));
    var lines = new ArrayList<String>();
    new LogCheck(copy.resolve("log"), lines::add).run();
    assertThat(lines).last().asString().contains("recovery goes on at offset");
    List<String> faults = new StoreCheck(copy, new NoHooks(), lines::add).run();
    assertThat(faults).allMatch(fault -> fault.contains("pace")); // "No space", "no space on"
    try (var engine = ChronicleEngine.open(copy, EngineHarness.quiet(), new NoHooks())) {
      assertThat(engine.collections()).hasSize(1); // it took no room at all
    } catch (StorageException e) {
      assertThat(e.reason()).as(e.toString()).isEqualTo(Reason.DISK_FULL);
      assertThat(e.getMessage()).containsIgnoringCase("no space");
    }
    Files.delete(disk.resolve("rest"));
    try (var after = new EngineHarness(copy)) {
      assertThat(after.contents()).hasSize(600);
      after.engine.verify();
    }
  }

  /** Inserts until the disk is full; how many documents were taken. */
  private static int fillUp(EngineHarness store, int from) {
    for (int i = 0; i < DOCUMENTS_MAX; i++) {
      try {
        store.insert(EngineHarness.document(from + i, 8_000));
      } catch (StorageException e) {
        assertThat(e.reason()).isEqualTo(Reason.DISK_FULL);
        return i;
      }
    }
    return DOCUMENTS_MAX;
  }

  /** Takes the whole disk but for some bytes. */
  private static void fillUp(Path file, int leftBytes) throws IOException {
    fillUp(file);
    try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(channel.size() - leftBytes);
    }
  }

  private static void fillUp(Path file) {
    try (var out = Files.newOutputStream(file)) {
      for (byte[] block = new byte[4096]; ; ) {
        out.write(block);
      }
    } catch (IOException e) {
      return; // full
    }
  }

  @Test
  void aProcessWithoutFileHandlesRefusesWritesAndGoesOn() throws Exception {
    Assumptions.assumeTrue(Files.exists(Path.of("/bin/sh")), "needs a shell to limit handles");
    List<String> command =
        KeyIndexProcess.command(WithoutHandles.class, List.of(), root.toString());
    var script = new StringBuilder("ulimit -n 200; exec");
    command.forEach(word -> script.append(" '").append(word).append('\''));
    Process process =
        new ProcessBuilder("/bin/sh", "-c", script.toString()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes());
    assertThat(process.waitFor()).as(output).isZero();
  }

  /** Uses up all file handles, writes until that is refused, reads, and goes on without them. */
  static final class WithoutHandles {
    private WithoutHandles() {}

    public static void main(String[] arguments) throws IOException {
      try (var store = new EngineHarness(Path.of(arguments[0]).resolve("store"))) {
        store.create(null);
        store.insert(EngineHarness.document(0, 8_000));
        loadClasses(store);
        var handles = takeAll();
        int written = 1;
        try {
          while (written < 100) { // a segment takes a few of them, a new one needs a handle
            store.insert(EngineHarness.document(written, 8_000));
            written++;
          }
          throw new AssertionError("a new segment was made without a file handle");
        } catch (StorageException e) {
          assertThat(e.getMessage()).contains("Too many open files");
        }
        assertThat(store.contents()).hasSize(written);
        for (InputStream handle : handles) {
          handle.close();
        }
        for (; written < 100; written++) {
          store.insert(EngineHarness.document(written, 8_000));
        }
        assertThat(store.contents()).hasSize(100);
        store.engine.verify();
      }
    }

    /** Reading a class takes a handle too, so those that are needed come first. */
    private static void loadClasses(EngineHarness store) {
      store.reopen();
      assertThat(store.contents()).hasSize(1);
      assertThatThrownBy(() -> store.engine.parts().log().readPayload(1L << 50))
          .isInstanceOf(StorageException.class);
    }

    private static List<InputStream> takeAll() throws IOException {
      var handles = new ArrayList<InputStream>();
      try {
        while (true) {
          handles.add(Files.newInputStream(Path.of("/dev/null")));
        }
      } catch (FileSystemException e) {
        return handles;
      }
    }
  }
}
