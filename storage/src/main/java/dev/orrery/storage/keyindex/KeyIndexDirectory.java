package dev.orrery.storage.keyindex;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * Which bucket holds which hashes: a table indexed by the leading bits of the hash, in which a
 * bucket that is less deep than the table fills a run of slots. Immutable; a split makes another.
 */
final class KeyIndexDirectory {
  private final ChronicleBucket[] table;
  private final int depth;

  private KeyIndexDirectory(ChronicleBucket[] table) {
    this.table = table;
    this.depth = Integer.numberOfTrailingZeros(table.length);
  }

  /** A directory of one bucket for all hashes. */
  static KeyIndexDirectory ofOne(ChronicleBucket bucket) {
    return new KeyIndexDirectory(new ChronicleBucket[] {bucket});
  }

  /**
   * A directory of buckets in the order of their hashes.
   *
   * @param source the file to blame when they do not cover every hash exactly once
   */
  static KeyIndexDirectory of(List<ChronicleBucket> buckets, Path source) {
    int depth = buckets.stream().mapToInt(bucket -> bucket.depth).max().orElse(0);
    if (depth > KeyIndex.DEPTH_MAX) {
      throw KeyIndexFiles.corrupt(source, "a bucket of depth " + depth);
    }
    var table = new ChronicleBucket[1 << depth];
    int next = 0;
    for (ChronicleBucket bucket : buckets) {
      int run = 1 << depth - bucket.depth;
      if (bucket.prefix << depth - bucket.depth != next || next + run > table.length) {
        throw KeyIndexFiles.corrupt(source, "the buckets leave a gap or overlap");
      }
      Arrays.fill(table, next, next + run, bucket);
      next += run;
    }
    if (next != table.length) {
      throw KeyIndexFiles.corrupt(source, "the buckets do not cover all hashes");
    }
    return new KeyIndexDirectory(table);
  }

  ChronicleBucket find(long hash) {
    return table[(int) (hash >>> 1 >>> Long.SIZE - 1 - depth)]; // in two steps: depth may be 0
  }

  /** The bucket that follows in the order of hashes, or null after the last. */
  ChronicleBucket after(ChronicleBucket bucket) {
    long next = bucket.prefix + 1;
    return next >>> bucket.depth == 0 ? find(next << Long.SIZE - bucket.depth) : null;
  }

  ChronicleBucket first() {
    return table[0];
  }

  /** The directory after this bucket became two halves. */
  KeyIndexDirectory split(ChronicleBucket bucket, List<ChronicleBucket> halves) {
    int newDepth = Math.max(depth, bucket.depth + 1);
    var wider = new ChronicleBucket[1 << newDepth];
    for (int i = 0; i < wider.length; i++) {
      wider[i] = table[i >> newDepth - depth];
    }
    for (ChronicleBucket half : halves) {
      int run = 1 << newDepth - half.depth;
      int start = (int) (half.prefix << newDepth - half.depth);
      Arrays.fill(wider, start, start + run, half);
    }
    return new KeyIndexDirectory(wider);
  }
}
