package dev.orrery.storage.keyindex;

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

  /** A map with the same entries and room for more, at least for what is to come. */
  KeyIndexEntries enlarge(ChronicleBucket bucket, ChronicleBucketShape.Need extra) {
    var all = new Part();
    bucket.entries().forEach(all::add);
    return all.toMap(extra, bucket.entriesMax());
  }

  /** The two halves of a bucket; when one cannot be made, nothing is left of the other. */
  List<ChronicleBucket> split(ChronicleBucket bucket, ChronicleBucketShape.Need extra) {
    var low = new Part();
    var high = new Part();
    int bit = Long.SIZE - 1 - bucket.depth;
    bucket
        .entries()
        .forEach(
            (key, value) -> ((KeyIndexHash.of(key) >>> bit & 1) == 0 ? low : high).add(key, value));
    ChronicleBucket lowHalf = bucket.half(0);
    ChronicleBucket highHalf = bucket.half(1);
    fill(lowHalf, low, extra);
    try {
      fill(highHalf, high, extra);
    } catch (RuntimeException | Error e) {
      lowHalf.retire();
      throw e;
    }
    return List.of(lowHalf, highHalf);
  }

  private void fill(ChronicleBucket half, Part part, ChronicleBucketShape.Need extra) {
    half.fill(part.toMap(extra, half.entriesMax()));
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

    ChronicleBucketMap toMap(ChronicleBucketShape.Need extra, int entriesMax) {
      var need = new ChronicleBucketShape.Need(keys.size(), keyBytes).plus(extra);
      var shape = ChronicleBucketShape.fitting(need, entriesMax, options.valueBytes());
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
