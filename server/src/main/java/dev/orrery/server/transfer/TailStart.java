package dev.orrery.server.transfer;

import com.mongodb.client.ChangeStreamIterable;
import dev.orrery.server.transfer.source.UsageException;
import java.time.Clock;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.jspecify.annotations.Nullable;

/**
 * Where a stream begins: behind a token, or at a time.
 *
 * @param token null for a time
 * @param time null for a token
 */
record TailStart(@Nullable BsonDocument token, @Nullable BsonTimestamp time) {
  private static final Pattern AGO = Pattern.compile("(\\d{1,6})([smhd])");
  private static final Pattern SECONDS = Pattern.compile("\\d{1,10}");
  private static final Pattern HEXADECIMAL = Pattern.compile("82[0-9A-Fa-f]{16,}");
  private static final String UNITS = "smhd";
  private static final int[] UNIT_SECONDS = {1, 60, 3600, 86_400};

  static TailStart after(BsonDocument token) {
    return new TailStart(token, null);
  }

  private static TailStart at(long seconds) {
    return new TailStart(null, new BsonTimestamp(Math.toIntExact(seconds), 0));
  }

  static TailStart parse(String text, Clock clock) {
    try {
      Matcher ago = AGO.matcher(text);
      if (ago.matches()) {
        int unit = UNIT_SECONDS[UNITS.indexOf(ago.group(2))];
        return at(clock.instant().getEpochSecond() - Long.parseLong(ago.group(1)) * unit);
      } else if (HEXADECIMAL.matcher(text).matches()) {
        return after(new BsonDocument("_data", new BsonString(text)));
      } else if (SECONDS.matcher(text).matches()) {
        return at(Long.parseLong(text));
      } else if (text.startsWith("{")) {
        return after(BsonDocument.parse(text));
      }
      return at(Instant.parse(text).getEpochSecond());
    } catch (DateTimeParseException | ArithmeticException | org.bson.json.JsonParseException e) {
      throw new UsageException("--from is a time, how long ago, or a token, not " + text);
    }
  }

  /** The filter, which must not hide the event that the token names. */
  BsonDocument lettingThrough(BsonDocument filter) {
    if (token == null || !token.containsKey("_data")) {
      return filter;
    }
    var either = new BsonArray();
    either.add(filter);
    either.add(new BsonDocument("_id._data", token.get("_data")));
    return new BsonDocument("$or", either);
  }

  void applyTo(ChangeStreamIterable<BsonDocument> stream) {
    if (token != null) {
      stream.startAfter(token); // unlike resumeAfter, also behind the end of a stream
    } else {
      stream.startAtOperationTime(time);
    }
  }
}
