package dev.orrery.storage.keyindex;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.storage.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyIndexTest {
  private static final KeyIndexOptions SMALL =
      KeyIndexOptions.single().withEphemeral(true).withLimits(16, 400);

  @TempDir private Path directory;

  static byte[] key(long number) {
    return ("key-" + number).getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void anEmptyIndexHasNoFileAndNoKey() {
    Path path = directory.resolve("index");
    try (var index = KeyIndex.open(path, KeyIndexOptions.single())) {
      assertThat(index.find(key(1))).isEqualTo(KeyIndex.ABSENT);
      assertThat(index.remove(key(1))).isEqualTo(KeyIndex.ABSENT);
      assertThat(index.size()).isZero();
      assertThat(index.checkpointLsn()).isEqualTo(KeyIndex.NEVER);
      assertThat(index.appliedLsn(key(1))).isEqualTo(KeyIndex.NEVER);
    }
    assertThat(path).doesNotExist();
  }

  @Test
  void thatAnIndexWasEmptyIsRememberedToo() {
    try (var index = KeyIndex.open(directory, KeyIndexOptions.single())) {
      index.checkpoint(7);
    }
    try (var index = KeyIndex.open(directory, KeyIndexOptions.single())) {
      assertThat(index.checkpointLsn()).isEqualTo(7);
      assertThat(index.appliedLsn(key(1))).isEqualTo(7);
      index.checkpoint(9);
      assertThat(index.checkpointLsn()).isEqualTo(7); // nothing changed: 7 is as good
    }
  }

  @Test
  void putAndRemoveReturnThePreviousValue() {
    try (var index = KeyIndex.open(directory, SMALL)) {
      assertThat(index.put(key(1), 10)).isEqualTo(KeyIndex.ABSENT);
      assertThat(index.put(key(1), 11)).isEqualTo(10);
      assertThat(index.find(key(1))).isEqualTo(11);
      assertThat(index.remove(key(1))).isEqualTo(11);
      assertThat(index.find(key(1))).isEqualTo(KeyIndex.ABSENT);
      assertThat(index.size()).isZero();
    }
  }

  @Test
  void valuesOfTwoLongsComeBackWhole() {
    var options = KeyIndexOptions.pair().withEphemeral(true).withLimits(4, 100);
    try (var index = KeyIndex.open(directory, options)) {
      for (int i = 0; i < 1_000; i++) {
        index.put(key(i), i, -i);
      }
      index.close(1);
    }
    try (var index = KeyIndex.open(directory, options)) {
      long[] out = new long[2];
      for (int i = 0; i < 1_000; i++) {
        assertThat(index.get(key(i), out)).isTrue();
        assertThat(out).containsExactly(i, -i);
      }
      assertThat(index.get(key(1_000), out)).isFalse();
    }
  }

  @Test
  void anIndexGrowsFromTheHeapThroughMapsToManyBuckets() {
    try (var index = KeyIndex.open(directory, SMALL)) {
      fill(index, 0, 16);
      assertThat(index.openMaps()).isZero();
      fill(index, 16, 17);
      assertThat(index.openMaps()).isEqualTo(1);
      fill(index, 17, 5_000);
      assertThat(index.openMaps()).isGreaterThan(12);
      assertThat(index.size()).isEqualTo(5_000);
      assertHolds(index, 5_000);
    }
  }

  @Test
  void everyEntryIsVisitedOnce() {
    try (var index = KeyIndex.open(directory, SMALL)) {
      fill(index, 0, 3_000);
      Map<String, Long> seen = new HashMap<>();
      index.forEach((key, first, second) -> seen.merge(new String(key), first, (a, b) -> -1L));
      assertThat(seen).hasSize(3_000);
      assertThat(seen).containsEntry("key-17", 17L);
      assertThat(seen.values()).doesNotContain(-1L);
    }
  }

  @Test
  void keysOfAllLengthsLiveTogether() {
    try (var index = KeyIndex.open(directory, KeyIndexOptions.single().withEphemeral(true))) {
      for (int length = 1; length <= KeyIndex.KEY_BYTES_MAX; length++) {
        index.put(lengthy(length), length);
      }
      for (int length = 1; length <= KeyIndex.KEY_BYTES_MAX; length += 7) {
        assertThat(index.find(lengthy(length))).isEqualTo(length);
      }
      index.close(3);
    }
    try (var index = KeyIndex.open(directory, KeyIndexOptions.single().withEphemeral(true))) {
      assertThat(index.find(lengthy(1))).isEqualTo(1);
      assertThat(index.find(lengthy(2_048))).isEqualTo(2_048);
      assertThat(index.size()).isEqualTo(KeyIndex.KEY_BYTES_MAX);
    }
  }

  @Test
  void aLongKeyFitsAMapMadeForShortOnes() {
    try (var index = KeyIndex.open(directory, SMALL)) {
      for (int i = 0; i < 300; i++) {
        index.put(new byte[] {(byte) i, (byte) (i >> 8)}, i);
        if (i % 10 == 9) {
          index.put(lengthy(2_000 + i), i);
        }
      }
      assertThat(index.find(lengthy(2_009))).isEqualTo(9);
      assertThat(index.find(new byte[] {3, 1})).isEqualTo(259);
    }
  }

  @Test
  void emptyAndOversizedKeysAreRefused() {
    try (var index = KeyIndex.open(directory, SMALL)) {
      assertThatThrownBy(() -> index.put(new byte[0], 1))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> index.find(new byte[KeyIndex.KEY_BYTES_MAX + 1]))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void keysOfMixedLengthsThatComeAndGoKeepTheirRoom() {
    var random = new Random(42);
    Map<Integer, Integer> model = new HashMap<>();
    try (var index = KeyIndex.open(directory, SMALL)) {
      for (int i = 0; i < 20_000; i++) {
        int length = 4 + random.nextInt(400);
        if (random.nextBoolean()) {
          index.put(lengthy(length), i);
          model.put(length, i);
        } else {
          index.remove(lengthy(length));
          model.remove(length);
        }
      }
      assertThat(index.size()).isEqualTo(model.size());
      model.forEach(
          (length, value) -> assertThat(index.find(lengthy(length))).isEqualTo((long) value));
    }
  }

  @Test
  void keysThatShareHashBitsMakeABucketLargeNotTheDirectory() {
    List<byte[]> keys =
        LongStream.range(0, 10_000_000)
            .mapToObj(KeyIndexTest::key)
            .filter(key -> KeyIndexHash.of(key) >>> 51 == 0)
            .limit(1_000)
            .toList();
    try (var index = KeyIndex.open(directory, SMALL)) {
      for (int i = 0; i < keys.size(); i++) {
        index.put(keys.get(i), i);
      }
      index.close(1);
    }
    try (var index = KeyIndex.open(directory, SMALL)) {
      assertThat(index.size()).isEqualTo(1_000);
      for (int i = 0; i < keys.size(); i++) {
        assertThat(index.find(keys.get(i))).isEqualTo(i);
      }
      assertThat(index.openMaps()).isEqualTo(1);
    }
  }

  @Test
  void preparedKeysNeedNoMoreRoom() throws IOException {
    try (var index = KeyIndex.open(directory, SMALL)) {
      for (int batch : new int[] {1, 10, 30, 500, 3_000}) {
        int from = (int) index.size();
        index.prepare(LongStream.range(from, from + batch).mapToObj(KeyIndexTest::key).toList());
        assertThat(index.size()).isEqualTo(from);
        List<String> before = KeyIndexCheckpointTest.names(directory);
        fill(index, from, from + batch);
        assertThat(KeyIndexCheckpointTest.names(directory)).isEqualTo(before);
      }
      assertHolds(index, 3_541);
    }
  }

  @Test
  void warmingUpLeavesNothingBehind() {
    Path scratch = directory.resolve("scratch");
    KeyIndex.warmUp(scratch);
    assertThat(scratch).doesNotExist();
  }

  @Test
  void aClosedIndexSaysSo() {
    var index = KeyIndex.open(directory, SMALL);
    index.put(key(1), 1);
    index.close();
    index.close();
    assertThatThrownBy(() -> index.find(key(1)))
        .isInstanceOfSatisfying(
            StorageException.class,
            e -> assertThat(e.reason()).isEqualTo(StorageException.Reason.UNAVAILABLE));
  }

  @Test
  void deletingLeavesNothing() {
    Path path = directory.resolve("index");
    var index = KeyIndex.open(path, SMALL);
    fill(index, 0, 2_000);
    index.checkpoint(1);
    index.delete();
    assertThat(path).doesNotExist();
  }

  @Test
  void idleBucketsGiveTheirHandlesBackAndReturn() {
    try (var index = KeyIndex.open(directory, SMALL)) {
      fill(index, 0, 2_000);
      assertThat(index.releaseIdle()).isZero(); // everything was just touched
      assertThat(index.releaseIdle()).isZero(); // and nothing is saved yet
      index.checkpoint(1);
      assertThat(index.releaseIdle()).isPositive();
      assertThat(index.openMaps()).isZero();
      assertThat(index.size()).isEqualTo(2_000);
      assertHolds(index, 2_000);
      assertThat(index.openMaps()).isPositive();
    }
  }

  @Test
  void idleEntriesOnTheHeapRestInTheManifest() {
    var options = KeyIndexOptions.single().withEphemeral(true);
    try (var index = KeyIndex.open(directory, options)) {
      fill(index, 0, 2_000);
      index.checkpoint(1);
      assertThat(index.releaseIdle()).isZero(); // just touched
      assertThat(index.releaseIdle()).isEqualTo(1);
      assertThat(index.releaseIdle()).isZero(); // there is nothing left to let go of
      assertThat(index.size()).isEqualTo(2_000);
      assertHolds(index, 2_000);
      index.releaseIdle();
      assertThat(index.releaseIdle()).isEqualTo(1);
      fill(index, 2_000, 2_001);
      index.checkpoint(2);
      assertThat(index.openMaps()).isZero();
    }
    try (var index = KeyIndex.open(directory, options)) {
      assertThat(index.checkpointLsn()).isEqualTo(2);
      assertHolds(index, 2_001);
    }
  }

  @Test
  void aRestingIndexIsSavedWholeWhenItsCheckpointIsMadeAgain() throws IOException {
    var options = KeyIndexOptions.single().withEphemeral(true);
    try (var index = KeyIndex.open(directory, options)) {
      fill(index, 0, 2_000);
      index.checkpoint(1);
      index.releaseIdle();
      assertThat(index.releaseIdle()).isEqualTo(1);
      index.failCheckpoint(); // as if the last one had failed after the manifest was in place
      index.checkpoint(2);
    }
    try (var index = KeyIndex.open(directory, options)) {
      assertThat(index.checkpointLsn()).isEqualTo(2);
      assertHolds(index, 2_000);
    }
  }

  @Test
  void aRestingIndexWhoseFileIsGoneSaysSo() throws IOException {
    try (var index = KeyIndex.open(directory, KeyIndexOptions.single().withEphemeral(true))) {
      fill(index, 0, 2_000);
      index.checkpoint(1);
      index.releaseIdle();
      assertThat(index.releaseIdle()).isEqualTo(1);
      Files.delete(directory.resolve(KeyIndexFiles.MANIFEST));
      assertThatThrownBy(() -> index.find(key(1)))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("the manifest is gone");
    }
  }

  @Test
  void fewEntriesStayOnTheHeap() {
    try (var index = KeyIndex.open(directory, KeyIndexOptions.single().withEphemeral(true))) {
      fill(index, 0, 100);
      index.checkpoint(1);
      index.releaseIdle();
      assertThat(index.releaseIdle()).isZero();
    }
  }

  @Test
  void manySmallIndexesAreCheap() throws IOException {
    KeyIndex[] indexes = new KeyIndex[1_000];
    for (int i = 0; i < indexes.length; i++) {
      indexes[i] =
          KeyIndex.open(
              directory.resolve("index-" + i), KeyIndexOptions.single().withEphemeral(true));
      fill(indexes[i], 0, 10);
    }
    long before = openHandles();
    long bytes = 0;
    for (KeyIndex index : indexes) {
      index.checkpoint(5);
      bytes += index.diskBytes();
      assertThat(index.openMaps()).isZero();
    }
    assertThat(openHandles() - before).isLessThan(20);
    assertThat(bytes).isLessThan(1_000 * 4_096L);
    for (KeyIndex index : indexes) {
      index.close();
    }
  }

  private static long openHandles() throws IOException {
    Path handles = Path.of("/proc/self/fd");
    if (!Files.isDirectory(handles)) {
      return 0;
    }
    try (var list = Files.list(handles)) {
      return list.count();
    }
  }

  static byte[] lengthy(int length) {
    byte[] key = new byte[length];
    Arrays.fill(key, (byte) length);
    key[length - 1] = (byte) (length >> 8);
    return key;
  }

  static void fill(KeyIndex index, int from, int to) {
    for (int i = from; i < to; i++) {
      index.put(key(i), i);
    }
  }

  static void assertHolds(KeyIndex index, int count) {
    for (int i = 0; i < count; i++) {
      assertThat(index.find(key(i))).isEqualTo(i);
    }
    assertThat(index.find(key(count))).isEqualTo(KeyIndex.ABSENT);
  }
}
