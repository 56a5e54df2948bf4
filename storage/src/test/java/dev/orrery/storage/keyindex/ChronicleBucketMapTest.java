package dev.orrery.storage.keyindex;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import net.openhft.chronicle.algo.hashing.LongHashFunction;
import net.openhft.chronicle.hash.serialization.impl.ByteArrayDataAccess;
import net.openhft.chronicle.map.ChronicleMap;
import net.openhft.chronicle.map.ChronicleMapBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChronicleBucketMapTest {
  private static final int KEY_BYTES = 20;

  @TempDir private Path directory;

  /** Among the capacities are those just past a power of two of Chronicle's slots. */
  @ParameterizedTest
  @ValueSource(
      ints = {1, 2, 7, 50, 100, 150, 410, 850, 3_250, 3_500, 13_000, 14_100, 52_000, 56_700})
  void aMapTakesAsManyEntriesAsItsShapeSays(int capacity) {
    var shape = new ChronicleBucketShape(capacity, KEY_BYTES, Long.BYTES);
    ChronicleBucketMap map = ChronicleBucketMap.create(directory.resolve("map"), shape);
    long length = map.path().toFile().length();
    byte[] value = new byte[Long.BYTES];
    for (int i = 0; i < capacity; i++) {
      byte[] key = ByteBuffer.allocate(KEY_BYTES).putInt(8, i).array();
      assertThat(map.put(key, value)).as("entry %d", i).isNull();
    }
    assertThat(map.put(new byte[KEY_BYTES + 1], value)).isSameAs(KeyIndexEntries.NO_ROOM);
    assertThat(map.path().toFile().length()).isEqualTo(length);
    map.discard();
    assertThat(map.path()).doesNotExist();
  }

  @Test
  void arraysHashAsChronicleHashesThem() {
    var hash = LongHashFunction.xx_r39();
    for (int length = 1; length < 200; length++) {
      byte[] key = new byte[length];
      new Random(length).nextBytes(key);
      assertThat(new ArrayAccess().getData(key).hash(hash))
          .isEqualTo(new ByteArrayDataAccess().getData(key).hash(hash));
    }
  }

  @Test
  void anImageOfVersionOneIsReadAndWrittenTo() throws IOException {
    Path old = directory.resolve("old");
    try (ChronicleMap<byte[], byte[]> map = mapOfVersionOne(old)) {
      for (int i = 0; i < 500; i++) {
        map.put(key(i), value(i));
      }
    }
    byte[] file = Files.readAllBytes(old);
    var header =
        new ChronicleBucketImage.Header(
            new ChronicleBucketShape(1_000, KEY_BYTES, Long.BYTES),
            500,
            500L * KEY_BYTES,
            1,
            file.length);
    Path image = directory.resolve("image");
    int checksum = writeVersionOne(image, header, file);
    ChronicleBucketMap map =
        ChronicleBucketImage.read(image, checksum).restore(directory.resolve("live"));
    for (int i = 0; i < 1_000; i++) {
      assertThat(map.find(key(i))).isEqualTo(i < 500 ? value(i) : null);
      assertThat(map.put(key(i), value(i + 1))).isEqualTo(i < 500 ? value(i) : null);
      assertThat(map.find(key(i))).isEqualTo(value(i + 1));
    }
    assertThat(map.remove(key(7))).isEqualTo(value(8));
    assertThat(map.size()).isEqualTo(999);
    map.discard();
  }

  /** As maps were made before {@link ArrayAccess}. */
  private static ChronicleMap<byte[], byte[]> mapOfVersionOne(Path path) throws IOException {
    return ChronicleMapBuilder.of(byte[].class, byte[].class)
        .entries(1_000)
        .actualSegments(1)
        .entriesPerSegment(1_000)
        .averageKeySize(KEY_BYTES)
        .constantValueSizeBySample(new byte[Long.BYTES])
        .maxBloatFactor(1)
        .allowSegmentTiering(false)
        .skipCloseOnExitHook(true)
        .sparseFile(true)
        .createPersistedTo(path.toFile());
  }

  /** One run of all pages; returns the checksum. */
  private static int writeVersionOne(Path path, ChronicleBucketImage.Header header, byte[] file)
      throws IOException {
    int pages = (file.length + 4095) / 4096;
    var image = ByteBuffer.allocate(52 + 8 + pages * 4096 + 12).order(ByteOrder.LITTLE_ENDIAN);
    image.put("ORKYIMG1".getBytes(StandardCharsets.US_ASCII)).putInt(1);
    image.putInt(header.shape().capacity()).putInt(header.shape().keyBytesAverage());
    image.putInt(header.shape().valueBytes()).putInt(header.entries()).putLong(header.keyBytes());
    image.putLong(header.lsn()).putInt(header.fileLength()).putInt(0);
    image.putInt(0).putInt(pages).put(file);
    int checksum = ChronicleBucketImage.checksum(image.array(), image.capacity() - 4);
    image.putInt(image.capacity() - 4, checksum);
    Files.write(path, image.array());
    return checksum;
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(KEY_BYTES).putInt(8, number).array();
  }

  private static byte[] value(int number) {
    return ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(number).array();
  }
}
