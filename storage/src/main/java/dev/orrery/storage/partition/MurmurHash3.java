package dev.orrery.storage.partition;

import dev.orrery.value.LittleEndian;

/** MurmurHash3, the variant for 64-bit machines with a result of 128 bits, with seed 0. */
final class MurmurHash3 {
  private static final long C1 = 0x87C37B91114253D5L;
  private static final long C2 = 0x4CF5AD432745937FL;

  private long h1;
  private long h2;

  private MurmurHash3() {}

  /** The first and the second half of the hash of the first {@code length} bytes. */
  static long[] hash(byte[] bytes, int length) {
    var hash = new MurmurHash3();
    int whole = length & ~15;
    for (int i = 0; i < whole; i += 16) {
      hash.mix(LittleEndian.int64(bytes, i), LittleEndian.int64(bytes, i + 8));
    }
    hash.h2 ^= scrambleSecond(partial(bytes, whole + 8, length));
    hash.h1 ^= scrambleFirst(partial(bytes, whole, Math.min(length, whole + 8)));
    return hash.finish(length);
  }

  private void mix(long k1, long k2) {
    h1 ^= scrambleFirst(k1);
    h1 = (Long.rotateLeft(h1, 27) + h2) * 5 + 0x52DCE729;
    h2 ^= scrambleSecond(k2);
    h2 = (Long.rotateLeft(h2, 31) + h1) * 5 + 0x38495AB5;
  }

  private static long scrambleFirst(long k) {
    return Long.rotateLeft(k * C1, 31) * C2;
  }

  private static long scrambleSecond(long k) {
    return Long.rotateLeft(k * C2, 33) * C1;
  }

  /** The bytes of a last, short block as a number; 0 if there are none. */
  private static long partial(byte[] bytes, int from, int to) {
    long value = 0;
    for (int i = to - 1; i >= from; i--) {
      value = value << 8 | bytes[i] & 0xFF;
    }
    return value;
  }

  private long[] finish(int length) {
    h1 ^= length;
    h2 ^= length;
    h1 += h2;
    h2 += h1;
    h1 = avalanche(h1);
    h2 = avalanche(h2);
    h1 += h2;
    h2 += h1;
    return new long[] {h1, h2};
  }

  private static long avalanche(long hash) {
    long k = (hash ^ hash >>> 33) * 0xFF51AFD7ED558CCDL;
    k = (k ^ k >>> 33) * 0xC4CEB9FE1A85EC53L;
    return k ^ k >>> 33;
  }
}
