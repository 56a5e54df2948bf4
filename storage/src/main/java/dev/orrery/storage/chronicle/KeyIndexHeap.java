package dev.orrery.storage.chronicle;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/** The few entries of a small index: a heap hash map, no file. */
final class KeyIndexHeap implements KeyIndexEntries {
  private static final int KEY_BYTES_MAX = 64 * 1024;

  private final int entriesMax;
  private final Map<Key, byte[]> map = new HashMap<>(4);
  private long keyBytes;

  KeyIndexHeap(int entriesMax) {
    this.entriesMax = entriesMax;
  }

  /** The same entries, independent of later changes. */
  KeyIndexHeap copy() {
    var copy = new KeyIndexHeap(entriesMax);
    copy.map.putAll(map); // values and keys are never changed in place
    copy.keyBytes = keyBytes;
    return copy;
  }

  @Override
  public byte[] find(byte[] key) {
    return map.get(new Key(key));
  }

  @Override
  public byte[] put(byte[] key, byte[] value) {
    if (!hasRoomFor(ChronicleBucketShape.Need.of(key)) && !map.containsKey(new Key(key))) {
      return NO_ROOM;
    }
    byte[] previous = map.put(new Key(key.clone()), value.clone());
    keyBytes += previous == null ? key.length : 0;
    return previous;
  }

  @Override
  public byte[] remove(byte[] key) {
    byte[] previous = map.remove(new Key(key));
    keyBytes -= previous == null ? 0 : key.length;
    return previous;
  }

  @Override
  public void forEach(BiConsumer<byte[], byte[]> visitor) {
    map.forEach((key, value) -> visitor.accept(key.bytes.clone(), value.clone()));
  }

  @Override
  public int size() {
    return map.size();
  }

  @Override
  public long keyBytes() {
    return keyBytes;
  }

  @Override
  public boolean hasRoomFor(ChronicleBucketShape.Need extra) {
    return map.size() + extra.entries() <= entriesMax
        && keyBytes + extra.keyBytes() <= KEY_BYTES_MAX;
  }

  @Override
  public void discard() {
    map.clear();
    keyBytes = 0;
  }

  /** Bytes compared by content; the hash is kept so that growing the map costs little. */
  private static final class Key {
    private final byte[] bytes;
    private final int hash;

    Key(byte[] bytes) {
      this.bytes = bytes;
      this.hash = Arrays.hashCode(bytes);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Key key && hash == key.hash && Arrays.equals(bytes, key.bytes);
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }
}
