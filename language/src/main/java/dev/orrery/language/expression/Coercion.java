package dev.orrery.language.expression;

import static dev.orrery.language.error.BsonText.typeName;

import dev.orrery.language.date.Dates;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.DoubleText;
import dev.orrery.language.error.ErrorCode;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** The silent conversions that string and date operators make of their operands. */
final class Coercion {
  private static final DateTimeFormatter TIMESTAMP =
      DateTimeFormatter.ofPattern("MMM ppd HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

  private Coercion() {}

  /** A string from a string, number or date; nothing gives the empty string. */
  static String toText(@Nullable BsonValue value) {
    if (Truth.isNullish(value)) {
      return "";
    }
    return switch (value.getBsonType()) {
      case DOUBLE -> DoubleText.brief(value.asDouble().getValue());
      case STRING -> value.asString().getValue();
      case DATE_TIME -> Dates.toIsoText(value.asDateTime().getValue());
      case JAVASCRIPT -> value.asJavaScript().getCode();
      case SYMBOL -> value.asSymbol().getSymbol();
      case INT32 -> Integer.toString(value.asInt32().getValue());
      case TIMESTAMP -> toText(value.asTimestamp());
      case INT64 -> Long.toString(value.asInt64().getValue());
      case DECIMAL128 -> value.asDecimal128().getValue().toString();
      default ->
          throw new CommandException(
              ErrorCode.LOCATION_16007,
              "can't convert from BSON type " + typeName(value) + " to String");
    };
  }

  private static String toText(BsonTimestamp timestamp) {
    long seconds = Integer.toUnsignedLong(timestamp.getTime());
    return TIMESTAMP.format(Instant.ofEpochSecond(seconds))
        + ":"
        + Integer.toHexString(timestamp.getInc());
  }

  /** Whether a date is in it: dates, timestamps, object ids. */
  static boolean isDate(@Nullable BsonValue value) {
    return value != null && (value.isDateTime() || value.isTimestamp() || value.isObjectId());
  }

  /** Milliseconds from a date, timestamp or object id. */
  static long toMillis(@Nullable BsonValue value) {
    if (value != null) {
      if (value.isDateTime()) {
        return value.asDateTime().getValue();
      }
      if (value.isTimestamp()) {
        return Integer.toUnsignedLong(value.asTimestamp().getTime()) * 1000;
      }
      if (value.isObjectId()) {
        return value.asObjectId().getValue().getTimestamp() * 1000L;
      }
    }
    throw new CommandException(
        ErrorCode.LOCATION_16006, "can't convert from BSON type " + typeName(value) + " to Date");
  }
}
