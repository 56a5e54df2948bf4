package dev.orrery.storage.keyindex;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyIndexHeapTest {
  private static final int VALUE_BYTES = 16;

  /** Few keys, so that they come and go, and share slots all the time. */
  @ParameterizedTest
  @ValueSource(ints = {3, 40, 600})
  void itHoldsWhatAMapWouldHold(int keys) {
    var random = new Random(keys);
    var heap = new KeyIndexHeap(1_000, VALUE_BYTES);
    Map<ByteBuffer, ByteBuffer> model = new HashMap<>();
    for (int i = 0; i < 40_000; i++) {
      byte[] key = key(random.nextInt(keys));
      if (random.nextInt(5) < 3) {
        byte[] value = value(random.nextLong());
        assertSame(heap.put(key, value), model.put(ByteBuffer.wrap(key), ByteBuffer.wrap(value)));
      } else {
        assertSame(heap.remove(key), model.remove(ByteBuffer.wrap(key)));
      }
      byte[] asked = key(random.nextInt(keys));
      assertSame(heap.find(asked), model.get(ByteBuffer.wrap(asked)));
      assertThat(heap.size()).isEqualTo(model.size());
      if (i % 4_000 == 0) {
        assertThat(entries(heap)).isEqualTo(model);
        heap = heap.copy();
      }
    }
    assertThat(entries(heap)).isEqualTo(model);
    long keyBytes = model.keySet().stream().mapToLong(ByteBuffer::remaining).sum();
    assertThat(heap.keyBytes()).isEqualTo(keyBytes);
  }

  @Test
  void keysWhoseHashesAreTheSameInTheHalfThatIsKeptAreTwo() {
    byte[][] pair = keysOfOneHash();
    var heap = new KeyIndexHeap(10, VALUE_BYTES);
    heap.put(pair[0], value(1));
    assertThat(heap.find(pair[1])).isNull();
    heap.put(pair[1], value(2));
    assertThat(heap.find(pair[0])).isEqualTo(value(1));
    assertThat(heap.remove(pair[0])).isEqualTo(value(1));
    assertThat(heap.find(pair[1])).isEqualTo(value(2));
  }

  @Test
  void aFullOneTakesNoNewKeyButChangesOldOnes() {
    var heap = new KeyIndexHeap(5, VALUE_BYTES);
    for (int i = 0; i < 5; i++) {
      assertThat(heap.put(key(i), value(i))).isNull();
    }
    assertThat(heap.put(key(5), value(5))).isSameAs(KeyIndexEntries.NO_ROOM);
    assertThat(heap.put(key(4), value(44))).isEqualTo(value(4));
    assertThat(heap.size()).isEqualTo(5);
    heap.remove(key(0));
    assertThat(heap.put(key(5), value(5))).isNull();
  }

  @Test
  void longKeysFillItEarly() {
    var heap = new KeyIndexHeap(1_000, VALUE_BYTES);
    int fitting = KeyIndexHeap.KEY_BYTES_MAX / KeyIndex.KEY_BYTES_MAX;
    for (int i = 0; i < fitting; i++) {
      assertThat(heap.put(longest(i), value(i))).isNull();
    }
    assertThat(heap.put(longest(fitting), value(0))).isSameAs(KeyIndexEntries.NO_ROOM);
    for (int i = 0; i < fitting; i++) {
      assertThat(heap.find(longest(i))).isEqualTo(value(i));
    }
  }

  @Test
  void aCopyDoesNotChangeWithItsOriginal() {
    var heap = new KeyIndexHeap(10, VALUE_BYTES);
    heap.put(key(1), value(1));
    KeyIndexHeap copy = heap.copy();
    heap.put(key(1), value(2));
    heap.put(key(2), value(2));
    copy.put(key(3), value(3));
    assertThat(copy.find(key(1))).isEqualTo(value(1));
    assertThat(copy.find(key(2))).isNull();
    assertThat(heap.find(key(3))).isNull();
  }

  private static void assertSame(byte[] actual, ByteBuffer expected) {
    assertThat(actual).isEqualTo(expected == null ? null : expected.array());
  }

  private static Map<ByteBuffer, ByteBuffer> entries(KeyIndexHeap heap) {
    List<byte[]> keys = new ArrayList<>();
    Map<ByteBuffer, ByteBuffer> entries = new HashMap<>();
    heap.forEach(
        (key, value) -> {
          keys.add(key);
          entries.put(ByteBuffer.wrap(key), ByteBuffer.wrap(value));
        });
    assertThat(keys).hasSameSizeAs(entries.keySet());
    return entries;
  }

  private static byte[] key(int number) {
    return KeyIndexTest.lengthy(1 + number);
  }

  private static byte[] longest(int number) {
    byte[] key = new byte[KeyIndex.KEY_BYTES_MAX];
    key[number % 100] = (byte) (1 + number / 100);
    return key;
  }

  private static byte[] value(long number) {
    return ByteBuffer.allocate(VALUE_BYTES).putLong(number).putLong(-number).array();
  }

  /** By birthday: among some hundred thousand hashes two have the same upper half. */
  private static byte[][] keysOfOneHash() {
    Map<Integer, byte[]> seen = new HashMap<>();
    for (long i = 0; ; i++) {
      byte[] key = KeyIndexTest.key(i);
      byte[] other = seen.put((int) (KeyIndexHash.of(key) >>> 32), key);
      if (other != null) {
        return new byte[][] {other, key};
      }
    }
  }
}
