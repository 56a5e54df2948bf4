package dev.orrery.storage.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
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
}
