package dev.orrery.storage.partition;

import dev.orrery.value.BsonNumbers;
import dev.orrery.value.LittleEndian;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.Arrays;

/*
 * The bytes that are hashed. 00 to 08 are Cosmos DB's own; the types it has no encoding for got
 * the bytes from 10 on. All of it is frozen: documents lie in partitions by it.
 *
 *   00 missing, undefined     01 null     02 false     03 true
 *   05 number:   8 bytes, the nearest double, little-endian; -0 as 0, one NaN (7FF8000000000000)
 *   08 string:   UTF-8, then FF; symbols too
 *   10 ObjectId: 12 bytes     11 date: 8 bytes     12 timestamp: 8 bytes, both as in BSON
 *   13 binary:   subtype, length (4 bytes, little-endian), content
 *   14 document: for each field 01, its name, 00, its value; then 00
 *   15 array:    for each element 01, its value; then 00
 *   16 regex:    pattern, 00, options, 00
 *   17 DBPointer: namespace, FF, 12 bytes
 *   18 code:     UTF-8, then FF      19 code with scope: UTF-8, FF, the scope as a document
 *   1A MinKey    1B MaxKey
 */

/**
 * A partition key value as the bytes that are hashed. Values that compare equal have the same
 * bytes; the other way round only nearly, as numbers are rounded to doubles.
 */
final class PartitionKeyEncoder {
  private static final int MISSING = 0x00;
  private static final int NULL = 0x01;
  private static final int FALSE = 0x02;
  private static final int TRUE = 0x03;
  private static final int NUMBER = 0x05;
  private static final int STRING = 0x08;
  private static final int OBJECT_ID = 0x10;
  private static final int DATE = 0x11;
  private static final int TIMESTAMP = 0x12;
  private static final int BINARY = 0x13;
  private static final int DOCUMENT = 0x14;
  private static final int ARRAY = 0x15;
  private static final int REGEX = 0x16;
  private static final int DB_POINTER = 0x17;
  private static final int CODE = 0x18;
  private static final int CODE_WITH_SCOPE = 0x19;
  private static final int MIN_KEY = 0x1A;
  private static final int MAX_KEY = 0x1B;

  private static final int END = 0x00;
  private static final int MEMBER = 0x01;
  private static final int TEXT_END = 0xFF;

  private byte[] bytes = new byte[64];
  private int length;

  byte[] buffer() {
    return bytes;
  }

  int length() {
    return length;
  }

  /** Adds one component; {@code null} is missing. */
  void append(RawValue value) {
    if (value == null) {
      writeByte(MISSING);
    } else if (value.isNumber()) {
      writeByte(NUMBER);
      writeInt64(Double.doubleToLongBits(BsonNumbers.nearestDouble(value) + 0.0));
    } else {
      appendOther(value);
    }
  }

  private void appendOther(RawValue value) {
    switch (value.type()) {
      case RawTypes.STRING:
      case RawTypes.SYMBOL:
        writeText(STRING, value.bytes(), value.offset());
        break;
      case RawTypes.DOCUMENT:
        writeByte(DOCUMENT);
        writeMembers(value.asDocument(), true);
        break;
      case RawTypes.ARRAY:
        writeByte(ARRAY);
        writeMembers(value.asDocument(), false);
        break;
      case RawTypes.BINARY:
        writeBinary(value);
        break;
      case RawTypes.UNDEFINED:
        writeByte(MISSING);
        break;
      case RawTypes.OBJECT_ID:
        writeAsStored(OBJECT_ID, value);
        break;
      case RawTypes.BOOLEAN:
        writeByte(value.asBoolean() ? TRUE : FALSE);
        break;
      case RawTypes.DATE:
        writeAsStored(DATE, value);
        break;
      case RawTypes.NULL:
        writeByte(NULL);
        break;
      default:
        appendRare(value);
    }
  }

  private void appendRare(RawValue value) {
    byte[] source = value.bytes();
    int offset = value.offset();
    switch (value.type()) {
      case RawTypes.REGEX:
        writeAsStored(REGEX, value);
        break;
      case RawTypes.DB_POINTER:
        writeText(DB_POINTER, source, offset);
        writeBytes(source, offset + value.length() - 12, 12);
        break;
      case RawTypes.CODE:
        writeText(CODE, source, offset);
        break;
      case RawTypes.CODE_WITH_SCOPE:
        writeText(CODE_WITH_SCOPE, source, offset + 4);
        writeMembers(value.scope(), true);
        break;
      case RawTypes.TIMESTAMP:
        writeAsStored(TIMESTAMP, value);
        break;
      case RawTypes.MIN_KEY:
        writeByte(MIN_KEY);
        break;
      case RawTypes.MAX_KEY:
        writeByte(MAX_KEY);
        break;
      default:
        throw new IllegalArgumentException("not a BSON type: " + value.type());
    }
  }

  private void writeMembers(RawDocument container, boolean withNames) {
    var elements = container.elements();
    while (elements.next()) {
      writeByte(MEMBER);
      if (withNames) {
        writeBytes(container.bytes(), elements.nameOffset(), elements.nameLength() + 1);
      }
      append(elements.value());
    }
    writeByte(END);
  }

  private void writeBinary(RawValue value) {
    writeByte(BINARY);
    writeByte(value.bytes()[value.offset() + 4]);
    writeBytes(value.bytes(), value.offset(), 4);
    writeBytes(value.bytes(), value.offset() + 5, value.asInt32());
  }

  private void writeText(int type, byte[] source, int offset) {
    writeByte(type);
    writeBytes(source, offset + 4, LittleEndian.int32(source, offset) - 1);
    writeByte(TEXT_END);
  }

  private void writeAsStored(int type, RawValue value) {
    writeByte(type);
    writeBytes(value.bytes(), value.offset(), value.length());
  }

  private void writeByte(int value) {
    reserve(1);
    bytes[length++] = (byte) value;
  }

  private void writeInt64(long value) {
    reserve(8);
    LittleEndian.putInt64(bytes, length, value);
    length += 8;
  }

  private void writeBytes(byte[] source, int offset, int count) {
    reserve(count);
    System.arraycopy(source, offset, bytes, length, count);
    length += count;
  }

  private void reserve(int count) {
    int needed = Math.addExact(length, count);
    if (needed > bytes.length) {
      int doubled = (int) Math.min(Integer.MAX_VALUE - 8L, bytes.length * 2L);
      bytes = Arrays.copyOf(bytes, Math.max(needed, doubled));
    }
  }
}
