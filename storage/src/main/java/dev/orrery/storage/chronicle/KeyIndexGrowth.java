package dev.orrery.storage.chronicle;

import java.util.ArrayList;
import java.util.List;

/** Moves the entries of a full bucket into one larger map, or into two halves. */
final class KeyIndexGrowth {
  private final KeyIndexFiles files;
  private final KeyIndexOptions options;

  KeyIndexGrowth(KeyIndexFiles files, KeyIndexOptions options) {
    this.files = files;
    this.options = options;
  }

  /** A map with the same entries and room for more, among them a key of this length. */
  KeyIndexEntries enlarge(KeyIndexEntries entries, int newKeyLength) {
    var all = new Part();
    entries.forEach(all::add);
    return all.toMap(newKeyLength);
  }

  /** The two halves of a bucket; when one cannot be made, nothing is left of the other. */
  List<ChronicleBucket> split(ChronicleBucket bucket, int newKeyLength) {
    var low = new Part();
    var high = new Part();
    int bit = Long.SIZE - 1 - bucket.depth;
    bucket
        .entries()
        .forEach(
            (key, value) -> ((KeyIndexHash.of(key) >>> bit & 1) == 0 ? low : high).add(key, value));
    KeyIndexEntries lowMap = low.toMap(newKeyLength);
    try {
      KeyIndexEntries highMap = high.toMap(newKeyLength);
      return List.of(bucket.half(0, lowMap), bucket.half(1, highMap));
    } catch (RuntimeException | Error e) {
      lowMap.discard();
      throw e;
    }
  }

  /** Entries on their way to a new map. */
  private final class Part {
    private final List<byte[]> keys = new ArrayList<>();
    private final List<byte[]> values = new ArrayList<>();
    private long keyBytes;

    void add(byte[] key, byte[] value) {
      keys.add(key);
      values.add(value);
      keyBytes += key.length;
    }

    ChronicleBucketMap toMap(int newKeyLength) {
      var shape = ChronicleBucketShape.fitting(keys.size(), keyBytes, newKeyLength, options);
      ChronicleBucketMap map = ChronicleBucketMap.create(files.newLiveMap(), shape);
      while (!canFill(map)) { // lengths so mixed that the average misleads
        map.discard();
        shape = shape.doubled();
        map = ChronicleBucketMap.create(files.newLiveMap(), shape);
      }
      return map;
    }

    private boolean canFill(ChronicleBucketMap map) {
      try {
        for (int i = 0; i < keys.size(); i++) {
          if (map.put(keys.get(i), values.get(i)) == KeyIndexEntries.NO_ROOM) {
            return false;
          }
        }
        return true;
      } catch (RuntimeException | Error e) {
        map.discard();
        throw e;
      }
    }
  }
}
