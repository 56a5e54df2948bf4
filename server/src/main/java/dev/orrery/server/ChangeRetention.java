package dev.orrery.server;

import dev.orrery.storage.engine.EngineOptions;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How long changes can be read again: what is older, or further back than so many bytes of the log,
 * may be compacted away.
 */
public record ChangeRetention(long millis, long bytes) {
  static final ChangeRetention OFF = new ChangeRetention(0, 0);

  private static final long FEED_MILLIS_MIN = 60_000;

  private static final Pattern TEXT =
      Pattern.compile("([1-9][0-9]{0,8})([SMHD])(?:,([1-9][0-9]{0,8})([KMGT])B)?");

  /** Null when it is not written as it should be. */
  static @Nullable ChangeRetention parse(String text) {
    if (text.equals("off")) {
      return OFF;
    }
    Matcher matcher = TEXT.matcher(text.toUpperCase(Locale.ROOT));
    if (!matcher.matches()) {
      return null;
    }
    long seconds =
        switch (matcher.group(2)) {
          case "S" -> 1;
          case "M" -> 60;
          case "H" -> 3_600;
          default -> 86_400;
        };
    long millis = Long.parseLong(matcher.group(1)) * seconds * 1_000;
    if (matcher.group(3) == null) {
      return new ChangeRetention(millis, EngineOptions.Compacting.TENTH_OF_DISK);
    }
    int power = 1 + "KMGT".indexOf(matcher.group(4));
    return new ChangeRetention(millis, Long.parseLong(matcher.group(3)) << 10 * power);
  }

  /** How long a shared database keeps them: long enough for those who follow, in any case. */
  long feedMillis() {
    return Math.max(millis, FEED_MILLIS_MIN);
  }

  EngineOptions.Compacting toOptions() {
    return new EngineOptions.Compacting(bytes, millis);
  }
}
