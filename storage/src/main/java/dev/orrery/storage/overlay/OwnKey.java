package dev.orrery.storage.overlay;

import java.util.Arrays;

/** Bytes as a key of a map. */
record OwnKey(byte[] bytes) {
  @Override
  public boolean equals(Object other) {
    return other instanceof OwnKey key && Arrays.equals(bytes, key.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }
}
