package dev.orrery.language.aggregate.stage;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;

/** Reads the bytes of a token from the front, and refuses them as MongoDB does. */
final class TokenReader {
  private static final int VERSION_MAX = 2;
  private static final int NUMBER_MAX = ResumeToken.ZERO + 1 + Long.BYTES;

  /** What begins a value in MongoDB's keys, besides numbers. */
  private static final String TYPES =
      "\n\u000f\u0014\u003c\u0046\u0050\u005a\u0064\u006e\u006f\u0078\u0082\u008c\u0096\u00a0\u00aa\u00f0";

  /** The first of the types of numbers. */
  private static final int NUMBER_MIN = 0x1E;

  private final byte[] bytes;
  private int at;

  TokenReader(byte[] bytes) {
    this.bytes = bytes;
  }

  ResumeToken read() {
    requireMore(ErrorCode.LOCATION_40649, "invalid empty resume token");
    if (type() != ResumeToken.TIMESTAMP) {
      throw foreign();
    }
    long time = wide(Long.BYTES);
    requireVersion();
    boolean isEvent = isOfEvent();
    requireMore(ErrorCode.LOCATION_50793, "Resume Token does not contain txnOpIndex");
    int index = number(ErrorCode.LOCATION_50855, "Resume Token txnOpIndex is not an integer");
    boolean isInvalidation = isInvalidation();
    int fragment = isAtEnd() || isNext(ResumeToken.TEXT) ? ResumeToken.WHOLE : number();
    KeyRange range = isNext(ResumeToken.TEXT) ? range() : KeyRange.ALL;
    if (next() != ResumeToken.END) {
      throw foreign();
    }
    if (at < bytes.length) {
      throw new CommandException(ErrorCode.LOCATION_40646, "invalid oversized resume token");
    }
    ResumeToken.Kind ofEvent =
        isInvalidation ? ResumeToken.Kind.INVALIDATION : ResumeToken.Kind.EVENT;
    ResumeToken.Kind kind = isEvent ? ofEvent : ResumeToken.Kind.TIME;
    // Times are unsigned, and nobody comes so far.
    return new ResumeToken(time < 0 ? Long.MAX_VALUE : time, index, kind, fragment, range);
  }

  private void requireVersion() {
    requireMore(ErrorCode.LOCATION_50796, "Resume Token does not contain version");
    int version = number(ErrorCode.LOCATION_50854, "Invalid resume token: wrong type for version");
    if (version < 0 || version > VERSION_MAX) {
      throw new CommandException(
          ErrorCode.LOCATION_50795, "Invalid Resume Token: only supports version 0, 1 and 2");
    }
    if (version != ResumeToken.VERSION) {
      throw foreign();
    }
  }

  private boolean isOfEvent() {
    requireMore(ErrorCode.LOCATION_51055, "Resume Token does not contain tokenType");
    int type = number(ErrorCode.LOCATION_51056, "Resume Token tokenType is not an int.");
    if (type != 0 && type != ResumeToken.OF_EVENT) {
      throw new CommandException(
          ErrorCode.LOCATION_51057, "Token type " + type + " not recognized");
    }
    return type == ResumeToken.OF_EVENT;
  }

  private boolean isInvalidation() {
    requireMore(ErrorCode.LOCATION_50872, "Resume Token does not contain fromInvalidate");
    int type = type();
    if (type != ResumeToken.TRUE && type != ResumeToken.FALSE) {
      throw new CommandException(
          ErrorCode.LOCATION_50870, "Resume Token fromInvalidate is not a boolean.");
    }
    return type == ResumeToken.TRUE;
  }

  private void requireMore(ErrorCode code, String message) {
    if (isAtEnd()) {
      throw new CommandException(code, message);
    }
  }

  private boolean isAtEnd() {
    return at == bytes.length || isNext(ResumeToken.END);
  }

  private boolean isNext(int type) {
    return at < bytes.length && (bytes[at] & 0xff) == type;
  }

  /** The type of what follows, which must be one of MongoDB's. */
  private int type() {
    int type = next();
    boolean isNumber = type >= NUMBER_MIN && type <= NUMBER_MAX;
    if (!isNumber && TYPES.indexOf(type) < 0) {
      throw new CommandException(
          ErrorCode.LOCATION_50811, "KeyString format error: Unknown type: " + type);
    }
    return type;
  }

  private KeyRange range() {
    var text = new StringBuilder();
    next();
    for (int one = next(); one != 0; one = next()) {
      text.append((char) one);
    }
    int middle = text.indexOf(ResumeToken.SEPARATOR);
    if (middle < 0) {
      throw foreign();
    }
    return new KeyRange(text.substring(0, middle), text.substring(middle + 1));
  }

  private int next() {
    if (at == bytes.length) {
      throw foreign();
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
    return number(
        ErrorCode.INVALID_RESUME_TOKEN,
        "Bad resume token: it is none of this server's, or was changed");
  }

  private int number(ErrorCode code, String message) {
    int type = type();
    if (type == ResumeToken.ZERO) {
      return 0;
    }
    int count = type - ResumeToken.NUMBER;
    if (count < 1 || count > Integer.BYTES) {
      throw new CommandException(code, message);
    }
    return (int) (wide(count) >>> 1);
  }

  private static CommandException foreign() {
    return new CommandException(
        ErrorCode.INVALID_RESUME_TOKEN,
        "Bad resume token: it is none of this server's, or was changed");
  }
}
