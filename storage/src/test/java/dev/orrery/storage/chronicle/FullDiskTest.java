package dev.orrery.storage.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.storage.NoHooks;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageException.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
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

  private static void fillUp(Path file) throws IOException {
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
      assertThatThrownBy(() -> store.engine.log().readPayload(1L << 50))
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
