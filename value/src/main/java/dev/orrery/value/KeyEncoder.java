package dev.orrery.value;

import java.nio.charset.StandardCharsets;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/*
 * A value becomes one lead byte and a body that ends by itself, so no encoding is a prefix of
 * another and values can be put one after the other into a compound key:
 *
 *   10 MinKey     14 undefined     18 null       20..35 numbers, see NumberKeys
 *   40 string and symbol: UTF-8 (or the collation's sort key) as escaped text
 *   48 document:  for each field its bracket, its name, 00, its value; then 00
 *   50 array:     its values; then 00
 *   58 binary:    length (1 byte, or FF and 4 bytes), subtype, content
 *   60 ObjectId   68 false         69 true       70 date, sign bit flipped     78 timestamp
 *   80 regex: pattern, 00, options, 00           88 DBPointer: length, namespace, id
 *   90 code: as a string           98 code with scope: code, then the scope as a document
 *   F0 MaxKey
 *
 * A descending value is complemented. Leads lie between 01 and FE either way, so 00 and FF after a
 * prefix are below and above everything that continues it, and the bytes beside the leads of a
 * bracket are below and above its values.
 */

/**
 * Values to bytes that order, compared unsigned, as {@link BsonOrder} orders the values. Values
 * that compare equal have the same bytes, whatever their types, so the bytes serve as keys of
 * uniqueness and grouping too. By themselves they do not tell the original types: with {@link
 * KeyTypes} kept beside a key, {@link KeyDecoder} gives the values back. Not shared between
 * threads.
 */
public final class KeyEncoder {
  static final int END = 0x00;
  static final int MIN_KEY = 0x10;
  static final int UNDEFINED = 0x14;
  static final int NULL = 0x18;
  static final int STRING = 0x40;
  static final int DOCUMENT = 0x48;
  static final int ARRAY = 0x50;
  static final int BINARY = 0x58;
  static final int OBJECT_ID = 0x60;
  static final int FALSE = 0x68;
  static final int TRUE = 0x69;
  static final int DATE = 0x70;
  static final int TIMESTAMP = 0x78;
  static final int REGEX = 0x80;
  static final int DB_POINTER = 0x88;
  static final int CODE = 0x90;
  static final int CODE_WITH_SCOPE = 0x98;
  static final int MAX_KEY = 0xF0;

  static final int SHORT_BINARY_MAX = 0xFE;

  private final KeyBuffer out;
  private final StringOrder strings;

  public KeyEncoder() {
    this(StringOrder.UTF8);
  }

  /** Strings and symbols are written as the sort keys of a collation. */
  public KeyEncoder(StringOrder strings) {
    this(new KeyBuffer(64), strings);
  }

  private KeyEncoder(KeyBuffer out, StringOrder strings) {
    this.out = out;
    this.strings = strings;
  }

  /** The key of one ascending value, strings by their bytes; {@code null} is a missing field. */
  public static byte[] encode(BsonValue value) {
    return new KeyEncoder().append(value, false).toByteArray();
  }

  /** The key of one ascending value, strings by their bytes; {@code null} is a missing field. */
  public static byte[] encode(RawValue value) {
    return new KeyEncoder().append(value, false).toByteArray();
  }

  public byte[] toByteArray() {
    return out.toByteArray();
  }

  public int length() {
    return out.length();
  }

  /** Forgets what was appended after the key had that length; 0 begins a new key. */
  public KeyEncoder truncate(int length) {
    out.truncate(length);
    return this;
  }

  public KeyEncoder append(@Nullable RawValue value, boolean isDescending) {
    int start = out.length();
    if (value == null) {
      out.writeByte(UNDEFINED);
    } else {
      write(value);
    }
    return complementIf(isDescending, start);
  }

  public KeyEncoder append(@Nullable BsonValue value, boolean isDescending) {
    return append(value == null ? null : RawValue.of(value), isDescending);
  }

  public KeyEncoder append(long value, boolean isDescending) {
    int start = out.length();
    NumberKeys.write(out, value);
    return complementIf(isDescending, start);
  }

  public KeyEncoder appendNull(boolean isDescending) {
    int start = out.length();
    out.writeByte(NULL);
    return complementIf(isDescending, start);
  }

  /** A string in the order of its bytes, whatever the collation: paths, names. */
  public KeyEncoder appendName(String name) {
    byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
    out.writeByte(STRING);
    out.writeText(utf8, 0, utf8.length);
    return this;
  }

  /** Below every key that begins with what was appended so far and goes on. */
  public KeyEncoder appendLowest() {
    out.writeByte(0x00);
    return this;
  }

  /** Above every key that begins with what was appended so far. */
  public KeyEncoder appendHighest() {
    out.writeByte(0xFF);
    return this;
  }

  /** A bound that orders below all values of a bracket of {@link CanonicalTypes}, and next. */
  public KeyEncoder appendBracketLow(int canonicalType, boolean isDescending) {
    int start = out.length();
    out.writeByte(bracket(canonicalType) - 1);
    return complementIf(isDescending, start);
  }

  /** A bound that orders above all values of a bracket of {@link CanonicalTypes}, and next. */
  public KeyEncoder appendBracketHigh(int canonicalType, boolean isDescending) {
    int start = out.length();
    int last = bracket(canonicalType);
    if (canonicalType == CanonicalTypes.NUMBER) {
      last = NumberKeys.POSITIVE_LARGE;
    } else if (canonicalType == CanonicalTypes.BOOLEAN) {
      last = TRUE;
    }
    out.writeByte(last + 1);
    return complementIf(isDescending, start);
  }

  private KeyEncoder complementIf(boolean isDescending, int start) {
    if (isDescending) {
      out.complementFrom(start);
    }
    return this;
  }

  private void write(RawValue value) {
    switch (value.type()) {
      case RawTypes.INT32:
        NumberKeys.write(out, (long) value.asInt32());
        return;
      case RawTypes.INT64:
        NumberKeys.write(out, value.asInt64());
        return;
      case RawTypes.DOUBLE:
        NumberKeys.write(out, value.asDouble());
        return;
      case RawTypes.DECIMAL128:
        NumberKeys.write(out, NumberOrder.exact(value));
        return;
      case RawTypes.BOOLEAN:
        out.writeByte(value.asBoolean() ? TRUE : FALSE);
        return;
      default:
        out.writeByte(bracket(CanonicalTypes.of(value.type())));
        writeBody(value);
    }
  }

  private void writeBody(RawValue value) {
    byte[] bytes = value.bytes();
    int offset = value.offset();
    switch (value.type()) {
      case RawTypes.STRING:
      case RawTypes.SYMBOL:
        writeString(value);
        break;
      case RawTypes.DOCUMENT:
        writeDocument(value.asDocument());
        break;
      case RawTypes.ARRAY:
        writeArray(value.asDocument());
        break;
      case RawTypes.BINARY:
        writeLength(value.asInt32());
        out.writeBytes(bytes, offset + 4, value.length() - 4);
        break;
      case RawTypes.OBJECT_ID:
      case RawTypes.REGEX:
        out.writeBytes(bytes, offset, value.length());
        break;
      case RawTypes.DATE:
        out.writeInt64(value.asInt64() ^ Long.MIN_VALUE);
        break;
      case RawTypes.TIMESTAMP:
        out.writeInt64(value.asInt64());
        break;
      case RawTypes.DB_POINTER:
        writeLength(value.asInt32());
        out.writeBytes(bytes, offset + 4, value.length() - 4);
        break;
      case RawTypes.CODE:
        writeText(bytes, offset);
        break;
      case RawTypes.CODE_WITH_SCOPE:
        writeText(bytes, offset + 4);
        new KeyEncoder(out, StringOrder.UTF8).writeDocument(value.scope());
        break;
      default: // MinKey, undefined, null, MaxKey: the lead byte is all
    }
  }

  private void writeString(RawValue value) {
    if (strings == StringOrder.UTF8) {
      writeText(value.bytes(), value.offset());
    } else {
      byte[] sortKey = strings.sortKey(value.asString());
      out.writeText(sortKey, 0, sortKey.length);
    }
  }

  private void writeText(byte[] bytes, int offset) {
    out.writeText(bytes, offset + 4, LittleEndian.int32(bytes, offset) - 1);
  }

  private void writeDocument(RawDocument document) {
    var elements = document.elements();
    while (elements.next()) {
      out.writeByte(bracket(CanonicalTypes.of(elements.type())));
      out.writeBytes(document.bytes(), elements.nameOffset(), elements.nameLength() + 1);
      write(elements.value());
    }
    out.writeByte(END);
  }

  private void writeArray(RawDocument array) {
    var elements = array.elements();
    while (elements.next()) {
      write(elements.value());
    }
    out.writeByte(END);
  }

  private void writeLength(int length) {
    if (length <= SHORT_BINARY_MAX) {
      out.writeByte(length);
    } else {
      out.writeByte(SHORT_BINARY_MAX + 1);
      out.writeInt32(length);
    }
  }

  /** The lowest lead byte of a bracket. */
  private static int bracket(int canonicalType) {
    return switch (canonicalType) {
      case CanonicalTypes.MIN_KEY -> MIN_KEY;
      case CanonicalTypes.UNDEFINED -> UNDEFINED;
      case CanonicalTypes.NULL -> NULL;
      case CanonicalTypes.NUMBER -> NumberKeys.NAN;
      case CanonicalTypes.STRING -> STRING;
      case CanonicalTypes.DOCUMENT -> DOCUMENT;
      case CanonicalTypes.ARRAY -> ARRAY;
      case CanonicalTypes.BINARY -> BINARY;
      case CanonicalTypes.OBJECT_ID -> OBJECT_ID;
      case CanonicalTypes.BOOLEAN -> FALSE;
      case CanonicalTypes.DATE -> DATE;
      case CanonicalTypes.TIMESTAMP -> TIMESTAMP;
      case CanonicalTypes.REGEX -> REGEX;
      case CanonicalTypes.DB_POINTER -> DB_POINTER;
      case CanonicalTypes.CODE -> CODE;
      case CanonicalTypes.CODE_WITH_SCOPE -> CODE_WITH_SCOPE;
      case CanonicalTypes.MAX_KEY -> MAX_KEY;
      default -> throw new IllegalArgumentException("not a bracket: " + canonicalType);
    };
  }
}
