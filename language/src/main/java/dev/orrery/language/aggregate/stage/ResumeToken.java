package dev.orrery.language.aggregate.stage;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.bson.BsonDocument;
import org.bson.BsonString;

/**
 * A place in the stream of all changes, as clients keep it: behind one event, or behind all that
 * was committed up to a time.
 *
 * @param time the cluster time
 * @param index the place of the event in its commit
 * @param kind what the token stands behind
 * @param fragment which part of a large event it stands behind; {@link #WHOLE} for all of it
 * @param range whose documents the stream is about
 */
public record ResumeToken(long time, int index, Kind kind, int fragment, KeyRange range) {
  public static final int WHOLE = -1;

  /*
   * The bytes follow those of MongoDB, whose tokens are sorted keys: a timestamp (82), numbers (29 is
   * zero, 2B to 2E are those of one to four bytes, doubled), a truth (6E or 6F), an end (04).
   *
   *   82 time | 2B 04 version 2 | 29 or 2C 01 00, of a time or an event | index | 6E or 6F |
   *   fragment, or nothing | 3C, the range of keys as text, 00, or nothing for all | 04
   */

  /** What a token stands behind. */
  public enum Kind {
    /** All that was committed up to its time. */
    TIME,
    EVENT,
    /** The event that ended a stream. */
    INVALIDATION
  }

  static final int TIMESTAMP = 0x82;
  static final int ZERO = 0x29;
  static final int NUMBER = 0x2A;
  static final int FALSE = 0x6E;
  static final int TRUE = 0x6F;
  static final int END = 0x04;
  static final int TEXT = 0x3C;
  static final String SEPARATOR = "-";
  private static final String DIGITS = "0123456789ABCDEF";
  private static final int DIGIT_BITS = 4;
  private static final int TOKEN_CHARACTERS = 48;
  static final int VERSION = 2;
  static final int OF_EVENT = 128;

  public ResumeToken(long time, int index, Kind kind) {
    this(time, index, kind, WHOLE, KeyRange.ALL);
  }

  public static ResumeToken upTo(long time) {
    return new ResumeToken(time, 0, Kind.TIME);
  }

  /** The place behind a part of the same event. */
  public ResumeToken behind(int part) {
    return new ResumeToken(time, index, kind, part, range);
  }

  /** The same place in a stream of some partition keys only. */
  public ResumeToken within(KeyRange keys) {
    return new ResumeToken(time, index, kind, fragment, keys);
  }

  /** Whether it stands inside of an event that was told in parts. */
  public boolean isOfFragment() {
    return fragment != WHOLE;
  }

  /** The field {@code _data}. */
  public String data() {
    var hex = new StringBuilder(TOKEN_CHARACTERS);
    put(hex, TIMESTAMP, 1);
    put(hex, time, Long.BYTES);
    number(hex, VERSION);
    number(hex, kind == Kind.TIME ? 0 : OF_EVENT);
    number(hex, index);
    put(hex, kind == Kind.INVALIDATION ? TRUE : FALSE, 1);
    if (isOfFragment()) {
      number(hex, fragment);
    }
    if (!range.equals(KeyRange.ALL)) {
      byte[] keys = (range.min() + SEPARATOR + range.max()).getBytes(StandardCharsets.US_ASCII);
      put(hex, TEXT, 1);
      hex.append(HexFormat.of().withUpperCase().formatHex(keys));
      put(hex, 0, 1);
    }
    put(hex, END, 1);
    return hex.toString();
  }

  public BsonDocument toBson() {
    return new BsonDocument("_data", new BsonString(data()));
  }

  private static void number(StringBuilder hex, int value) {
    if (value == 0) {
      put(hex, ZERO, 1);
      return;
    }
    long doubled = (long) value << 1;
    int bytes = (Long.SIZE - Long.numberOfLeadingZeros(doubled) + Byte.SIZE - 1) / Byte.SIZE;
    put(hex, NUMBER + bytes, 1);
    put(hex, doubled, bytes);
  }

  /** The last bytes of a number; every event has some, so there is no format to be parsed. */
  private static void put(StringBuilder hex, long value, int bytes) {
    for (int shift = bytes * Byte.SIZE - DIGIT_BITS; shift >= 0; shift -= DIGIT_BITS) {
      hex.append(DIGITS.charAt((int) (value >>> shift) & 0xf));
    }
  }

  /** Reads a token whose field {@code _data} is a text. */
  public static ResumeToken parse(BsonDocument token) {
    byte[] bytes;
    try {
      bytes = HexFormat.of().parseHex(token.getString("_data").getValue());
    } catch (IllegalArgumentException e) {
      throw new CommandException(
          ErrorCode.FAILED_TO_PARSE, "resume token string was not a valid hex string");
    }
    return new TokenReader(bytes).read();
  }
}
