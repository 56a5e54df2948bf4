package dev.orrery.value;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.bson.BsonValue;

/**
 * One BSON value inside a byte array: its type byte, and where its bytes begin. Reading it
 * allocates nothing; the bytes must have been validated before (by the wire, or by our own
 * encoder).
 */
public final class RawValue {
  private final byte type;
  private final byte[] bytes;
  private final int offset;

  public RawValue(byte type, byte[] bytes, int offset) {
    this.type = type;
    this.bytes = bytes;
    this.offset = offset;
  }

  /** The bytes of {@code value}, encoded. */
  public static RawValue of(BsonValue value) {
    var encoder = new BsonEncoder(64);
    encoder.writeValue(value);
    return new RawValue(RawTypes.of(value.getBsonType()), encoder.toByteArray(), 0);
  }

  /** The type byte of the BSON specification; see {@link RawTypes}. */
  public byte type() {
    return type;
  }

  /** The array that holds the value; shared, never to be changed. */
  public byte[] bytes() {
    return bytes;
  }

  /** Where the value begins in {@link #bytes()}. */
  public int offset() {
    return offset;
  }

  /** How many bytes the value takes, without its type and name. */
  public int length() {
    return RawTypes.sizeOf(type, bytes, offset);
  }

  public boolean isDocument() {
    return type == RawTypes.DOCUMENT;
  }

  public boolean isArray() {
    return type == RawTypes.ARRAY;
  }

  public boolean isNumber() {
    return RawTypes.isNumber(type);
  }

  /** The embedded document or array; both have the same layout. */
  public RawDocument asDocument() {
    return RawDocument.wrap(bytes, offset, LittleEndian.int32(bytes, offset));
  }

  /** The scope of a code value that has one. */
  public RawDocument scope() {
    int start = offset + 8 + LittleEndian.int32(bytes, offset + 4);
    return RawDocument.wrap(bytes, start, LittleEndian.int32(bytes, start));
  }

  public int asInt32() {
    return LittleEndian.int32(bytes, offset);
  }

  /** Also the bits of a date or a timestamp. */
  public long asInt64() {
    return LittleEndian.int64(bytes, offset);
  }

  public double asDouble() {
    return Double.longBitsToDouble(LittleEndian.int64(bytes, offset));
  }

  public boolean asBoolean() {
    return bytes[offset] != 0;
  }

  /** The text of a string, symbol or code value. */
  public String asString() {
    int length = LittleEndian.int32(bytes, offset);
    return new String(bytes, offset + 4, length - 1, StandardCharsets.UTF_8);
  }

  /** Whether both are the same type with the same bytes: stricter than equal in BSON order. */
  public boolean isIdenticalTo(RawValue other) {
    if (type != other.type) {
      return false;
    }
    int length = length();
    return java.util.Arrays.equals(
        bytes, offset, offset + length, other.bytes, other.offset, other.offset + other.length());
  }

  /** The value as objects of the bson library; embedded documents are decoded whole. */
  public BsonValue toBsonValue() {
    return BsonDecoder.value(type, bytes, offset);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RawValue value && isIdenticalTo(value);
  }

  @Override
  public int hashCode() {
    return Objects.hash(type, length());
  }

  @Override
  public String toString() {
    return toBsonValue().toString();
  }
}
