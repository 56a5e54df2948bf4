package dev.orrery.value;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A cursor over the elements of a raw document; not shared between threads. */
public final class RawElements {
  private final byte[] bytes;
  private int nameOffset;
  private int valueOffset;
  private int nextOffset;
  private byte type;

  RawElements(byte[] bytes, int offset, int length) {
    this.bytes = bytes;
    this.nextOffset = offset + 4;
  }

  /** Moves to the next element; false at the end. */
  public boolean next() {
    type = bytes[nextOffset];
    if (type == 0) {
      return false;
    }
    nameOffset = nextOffset + 1;
    valueOffset = RawTypes.endOfCString(bytes, nameOffset);
    nextOffset = valueOffset + RawTypes.sizeOf(type, bytes, valueOffset);
    return true;
  }

  public byte type() {
    return type;
  }

  public int nameOffset() {
    return nameOffset;
  }

  public int nameLength() {
    return valueOffset - 1 - nameOffset;
  }

  public int valueOffset() {
    return valueOffset;
  }

  public int valueLength() {
    return nextOffset - valueOffset;
  }

  public boolean nameEquals(byte[] name) {
    return name.length == nameLength()
        && Arrays.equals(bytes, nameOffset, valueOffset - 1, name, 0, name.length);
  }

  public String name() {
    return new String(bytes, nameOffset, nameLength(), StandardCharsets.UTF_8);
  }

  public RawValue value() {
    return new RawValue(type, bytes, valueOffset);
  }
}
