package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageException.Reason;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A data directory that may not be written to. Root ignores permissions, so these tests use what
 * binds root too: a read-only mount, and the immutable flag of a directory.
 */
final class ReadOnlyTest {
  @TempDir Path root;
  private Path immutable;
  private Path mounted;

  @AfterEach
  void makeWritable() throws Exception {
    if (immutable != null) {
      FullDiskTest.run("chattr", "-i", immutable.toString());
    }
    if (mounted != null) {
      FullDiskTest.run("umount", mounted.toString());
    }
  }

  @Test
  void aDirectoryThatBecomesReadOnlyRefusesWritesAndServesReads() throws Exception {
    try (var store = new EngineHarness(root.resolve("store"))) {
      store.create(null, "{key: {v: 1}, name: 'v_1'}");
      store.insert(EngineHarness.document(0, 8_000));
      immutable = store.directory.resolve("log");
      Assumptions.assumeTrue(
          FullDiskTest.run("chattr", "+i", immutable.toString()), "needs root and such a disk");
      int written = fillSegment(store);
      for (int i = 0; i < 3; i++) {
        assertRefused(() -> store.insert(EngineHarness.document(1_000, 8_000)));
      }
      assertThat(store.contents()).hasSize(written);

      assertThat(FullDiskTest.run("chattr", "-i", immutable.toString())).isTrue();
      store.insert(EngineHarness.document(1_000, 8_000));
      store.crash();
      assertThat(store.contents()).hasSize(written + 1);
      store.engine.verify();
    }
  }

  /** What has its place already may still be written; a new segment may not. */
  private static int fillSegment(EngineHarness store) {
    for (int written = 1; written < 100; written++) {
      try {
        store.insert(EngineHarness.document(written, 8_000));
      } catch (StorageException e) {
        return written;
      }
    }
    throw new AssertionError("a new segment was made in an immutable directory");
  }

  private static void assertRefused(Runnable action) {
    assertThatThrownBy(action::run)
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.DISK_FULL))
        .hasMessageContaining("log")
        .hasMessageContaining("Operation not permitted");
  }

  @Test
  void aReadOnlyDirectoryIsRefusedAtTheStart() throws Exception {
    Path directory = root.resolve("store");
    try (var store = new EngineHarness(directory)) {
      store.create(null);
      store.insert(1);
    }
    Assumptions.assumeTrue(
        FullDiskTest.run("mount", "--bind", directory.toString(), directory.toString()),
        "only root may mount");
    mounted = directory;
    assertThat(FullDiskTest.run("mount", "-o", "remount,ro,bind", directory.toString())).isTrue();
    assertThatThrownBy(() -> new EngineHarness(directory).close())
        .isInstanceOf(StorageException.class)
        .hasMessageContaining(directory.toString())
        .hasMessageContaining("Read-only file system");

    assertThat(FullDiskTest.run("umount", directory.toString())).isTrue();
    mounted = null;
    try (var store = new EngineHarness(directory)) {
      assertThat(store.contents()).containsOnlyKeys(1);
    }
  }
}
