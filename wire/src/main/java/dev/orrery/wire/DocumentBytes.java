package dev.orrery.wire;

import java.util.Arrays;

/** One BSON document inside an array that nobody changes any more. */
public record DocumentBytes(byte[] bytes, int offset, int length) {
  public static DocumentBytes of(byte[] bytes) {
    return new DocumentBytes(bytes, 0, bytes.length);
  }

  /** The document alone, in an array of its own. */
  public byte[] copy() {
    return Arrays.copyOfRange(bytes, offset, offset + length);
  }
}
