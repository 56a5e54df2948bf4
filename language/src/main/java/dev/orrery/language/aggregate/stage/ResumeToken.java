package dev.orrery.language.aggregate.stage;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

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

  private static final int TIMESTAMP = 0x82;
  private static final int ZERO = 0x29;
  private static final int NUMBER = 0x2A;
  private static final int FALSE = 0x6E;
  private static final int TRUE = 0x6F;
  private static final int END = 0x04;
  private static final int TEXT = 0x3C;
  private static final String SEPARATOR = "-";
  private static final String DIGITS = "0123456789ABCDEF";
  private static final int DIGIT_BITS = 4;
  private static final int TOKEN_CHARACTERS = 48;
  private static final int VERSION = 2;
  private static final int OF_EVENT = 128;

  /** The first and the last byte that begin something in MongoDB's keys. */
  private static final int TYPE_MAX = 0xA0;

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

  public static ResumeToken parse(BsonDocument token) {
    BsonValue data = token.get("_data");
    if (data == null || !data.isString()) {
      throw new CommandException(
          ErrorCode.LOCATION_40647,
          "Bad resume token: _data of missing or of wrong type. Expected string, got "
              + BsonText.aggregated(token));
    }
    byte[] bytes;
    try {
      bytes = HexFormat.of().parseHex(data.asString().getValue());
    } catch (IllegalArgumentException e) {
      throw new CommandException(
          ErrorCode.FAILED_TO_PARSE, "resume token string was not a valid hex string");
    }
    return new Reader(bytes).read();
  }

  /** The bytes of a token, read from the front. */
  private static final class Reader {
    private final byte[] bytes;
    private int at;

    Reader(byte[] bytes) {
      this.bytes = bytes;
    }

    ResumeToken read() {
      if (next() != TIMESTAMP) {
        throw unknownType(bytes[0] & 0xff);
      }
      long time = wide(Long.BYTES);
      if (number() != VERSION) {
        throw invalid();
      }
      boolean isEvent = number() == OF_EVENT;
      int index = number();
      boolean isInvalidation = next() == TRUE;
      int fragment = isNext(END) || isNext(TEXT) ? WHOLE : number();
      KeyRange range = isNext(TEXT) ? range() : KeyRange.ALL;
      if (next() != END) {
        throw invalid();
      }
      Kind ofEvent = isInvalidation ? Kind.INVALIDATION : Kind.EVENT;
      return new ResumeToken(time, index, isEvent ? ofEvent : Kind.TIME, fragment, range);
    }

    private boolean isNext(int type) {
      return at == bytes.length || (bytes[at] & 0xff) == type;
    }

    private KeyRange range() {
      var text = new StringBuilder();
      next();
      for (int one = next(); one != 0; one = next()) {
        text.append((char) one);
      }
      int middle = text.indexOf(SEPARATOR);
      if (middle < 0) {
        throw invalid();
      }
      return new KeyRange(text.substring(0, middle), text.substring(middle + 1));
    }

    private int next() {
      if (at == bytes.length) {
        throw invalid();
      }
      return bytes[at++] & 0xff;
    }

    private long wide(int count) {
      if (bytes.length - at < count) {
        throw new CommandException(
            ErrorCode.OVERFLOW,
            "Invalid advance (%d) past end of buffer[%d] at offset: 0"
                .formatted(count, bytes.length - at));
      }
      long value = 0;
      for (int i = 0; i < count; i++) {
        value = value << Byte.SIZE | next();
      }
      return value;
    }

    private int number() {
      int type = next();
      if (type == ZERO) {
        return 0;
      }
      int count = type - NUMBER;
      if (count < 1 || count > Integer.BYTES) {
        throw invalid();
      }
      return (int) (wide(count) >>> 1);
    }

    private static CommandException unknownType(int type) {
      return type < TYPE_MAX
          ? invalid()
          : new CommandException(
              ErrorCode.LOCATION_50811, "KeyString format error: Unknown type: " + type);
    }

    private static CommandException invalid() {
      return new CommandException(
          ErrorCode.INVALID_RESUME_TOKEN,
          "Bad resume token: it is none of this server's, or was changed");
    }
  }
}
