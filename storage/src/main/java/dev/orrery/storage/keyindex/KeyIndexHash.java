package dev.orrery.storage.keyindex;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The hash that spreads keys over the buckets of an index. It is part of the format on disk, and
 * must not be the one that Chronicle spreads keys inside a bucket with: within a bucket the leading
 * bits are all the same.
 */
public final class KeyIndexHash {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long SEED = 0x6f72726572790a01L;
  private static final long ODD_1 = 0x9e3779b97f4a7c15L;
  private static final long ODD_2 = 0xd6e8feb86659fd93L;

  private KeyIndexHash() {}

  public static long of(byte[] key) {
    long hash = SEED + key.length * ODD_1;
    int at = 0;
    for (; at <= key.length - Long.BYTES; at += Long.BYTES) {
      hash = step(hash, (long) LONG.get(key, at));
    }
    long rest = 0;
    for (; at < key.length; at++) {
      rest = rest << 8 | key[at] & 0xff;
    }
    return finish(step(hash, rest));
  }

  static long of(long number) {
    return finish(step(SEED, number));
  }

  private static long step(long hash, long word) {
    return Long.rotateLeft((hash ^ word * ODD_1) * ODD_2, 31);
  }

  /** Makes every input bit reach every output bit (the finaliser of MurmurHash3). */
  private static long finish(long hash) {
    long mixed = (hash ^ hash >>> 33) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ mixed >>> 33) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ mixed >>> 33;
  }
}
