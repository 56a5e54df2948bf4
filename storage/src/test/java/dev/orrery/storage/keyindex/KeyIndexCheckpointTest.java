package dev.orrery.storage.keyindex;

import static dev.orrery.storage.keyindex.KeyIndexTest.assertHolds;
import static dev.orrery.storage.keyindex.KeyIndexTest.fill;
import static dev.orrery.storage.keyindex.KeyIndexTest.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageException.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyIndexCheckpointTest {
  private static final KeyIndexOptions SMALL = KeyIndexOptions.single().withLimits(16, 400);

  @TempDir private Path directory;

  @Test
  void aSmallIndexIsOneFile() throws IOException {
    try (var index = KeyIndex.open(directory, SMALL)) {
      fill(index, 0, 10);
      index.close(3);
    }
    assertThat(names(directory)).containsExactly("MANIFEST");
    try (var index = KeyIndex.open(directory, SMALL)) {
      assertThat(index.checkpointLsn()).isEqualTo(3);
      assertThat(index.size()).isEqualTo(10);
      assertHolds(index, 10);
    }
  }

  @Test
  void whatCameAfterTheCheckpointIsForgottenInACrash() throws IOException {
    Path copy = directory.resolve("copy");
    try (var index = KeyIndex.open(directory.resolve("index"), SMALL)) {
      fill(index, 0, 3_000);
      index.checkpoint(3_000);
      fill(index, 3_000, 6_000);
      index.remove(key(1));
      copy(directory.resolve("index"), copy);
    }
    try (var index = KeyIndex.open(copy, SMALL)) {
      assertThat(index.openMaps()).isZero();
      assertThat(index.size()).isEqualTo(3_000);
      assertThat(index.appliedLsn(key(1))).isEqualTo(3_000);
      assertHolds(index, 3_000);
    }
    assertThat(names(copy)).noneMatch(name -> name.endsWith(".map"));
  }

  @Test
  void onlyChangedBucketsAreWrittenAgain() throws IOException {
    try (var index = KeyIndex.open(directory, SMALL)) {
      fill(index, 0, 3_000);
      index.checkpoint(1);
      List<String> before = images();
      index.checkpoint(2);
      assertThat(images()).isEqualTo(before);
      index.put(key(5), 55);
      index.checkpoint(3);
      List<String> after = images();
      assertThat(after).hasSameSizeAs(before);
      assertThat(after.stream().filter(name -> !before.contains(name))).hasSize(1);
      assertThat(index.checkpointLsn()).isEqualTo(3);
    }
  }

  @Test
  void aDamagedImageIsReportedWithItsName() throws IOException {
    try (var index = KeyIndex.open(directory, SMALL)) {
      fill(index, 0, 100);
      index.close(1);
    }
    Path image = directory.resolve(images().get(0));
    byte[] bytes = Files.readAllBytes(image);
    for (int at : new int[] {0, 20, bytes.length / 2, bytes.length - 1}) {
      byte[] damaged = bytes.clone();
      damaged[at] ^= 1;
      Files.write(image, damaged);
      assertReadFails(image);
    }
    Files.write(image, java.util.Arrays.copyOf(bytes, bytes.length - 100));
    assertReadFails(image);
    Files.delete(image);
    assertReadFails(image);
    Files.write(image, bytes);
    try (var index = KeyIndex.open(directory, SMALL)) {
      index.verify();
      assertHolds(index, 100);
    }
  }

  private void assertReadFails(Path image) {
    try (var index = KeyIndex.open(directory, SMALL)) {
      assertCorrupt(() -> index.find(key(1)), image);
      assertCorrupt(() -> index.put(key(1), 1), image); // and again, with no lock left behind
      assertCorrupt(index::verify, image);
    }
  }

  @Test
  void aDamagedManifestIsReportedWithItsName() throws IOException {
    try (var index = KeyIndex.open(directory, SMALL)) {
      fill(index, 0, 10);
      index.close(1);
    }
    Path manifest = directory.resolve("MANIFEST");
    byte[] bytes = Files.readAllBytes(manifest);
    for (int at = 0; at < bytes.length; at++) {
      if (at < 8 || at >= 12) { // in between is the version
        byte[] damaged = bytes.clone();
        damaged[at] ^= 4;
        Files.write(manifest, damaged);
        assertCorrupt(() -> KeyIndex.open(directory, SMALL), manifest);
      }
      Files.write(manifest, java.util.Arrays.copyOf(bytes, at));
      assertCorrupt(() -> KeyIndex.open(directory, SMALL), manifest);
    }
  }

  @Test
  void aNewerVersionIsRefused() throws IOException {
    try (var index = KeyIndex.open(directory, SMALL)) {
      fill(index, 0, 10);
      index.close(1);
    }
    Path manifest = directory.resolve("MANIFEST");
    byte[] bytes = Files.readAllBytes(manifest);
    bytes[11]++;
    int crcAt = bytes.length - Integer.BYTES;
    ByteBuffer.wrap(bytes).putInt(crcAt, ChronicleBucketImage.checksum(bytes, crcAt));
    Files.write(manifest, bytes);
    assertThatThrownBy(() -> KeyIndex.open(directory, SMALL))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNUSABLE));
  }

  private static void assertCorrupt(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable action, Path file) {
    assertThatThrownBy(action)
        .isInstanceOfSatisfying(
            StorageException.class,
            e -> {
              assertThat(e.reason()).isEqualTo(Reason.CORRUPT);
              assertThat(e).hasMessageContaining(file.getFileName().toString());
            });
  }

  private List<String> images() throws IOException {
    return names(directory).stream().filter(name -> name.endsWith(".image")).toList();
  }

  static List<String> names(Path directory) throws IOException {
    try (var list = Files.list(directory)) {
      return list.map(path -> path.getFileName().toString()).sorted().toList();
    }
  }

  /** What another process would find if this one were killed now. */
  static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    for (String name : names(from)) {
      Files.copy(from.resolve(name), to.resolve(name));
    }
  }
}
