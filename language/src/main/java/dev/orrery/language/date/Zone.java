package dev.orrery.language.date;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneRules;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A time zone: one of the Olson database, or a fixed offset such as {@code +05:30}. Local times are
 * counted in milliseconds too, as if they were UTC.
 */
public final class Zone {
  public static final Zone UTC = new Zone(null, 0);

  private static final Pattern OFFSET = Pattern.compile("([+-])(\\d\\d)(?::?(\\d\\d))?");
  private static final Set<String> NAMES = ZoneId.getAvailableZoneIds();

  /** Names of the Olson database that Java lacks. */
  private static final Map<String, Integer> FIXED_HOURS =
      Map.of("EST", -5, "HST", -10, "MST", -7, "ROC", 8);

  private final @Nullable ZoneRules rules;
  private final int offsetSeconds;

  private Zone(@Nullable ZoneRules rules, int offsetSeconds) {
    this.rules = rules;
    this.offsetSeconds = offsetSeconds;
  }

  static Zone ofOffsetSeconds(int seconds) {
    return new Zone(null, seconds);
  }

  /** The zone of that name or offset. */
  public static Zone parse(String id) {
    if (id.equals("UTC")) {
      return UTC;
    }
    if (NAMES.contains(id) && !id.startsWith("SystemV")) {
      return new Zone(ZoneId.of(id).getRules(), 0);
    }
    if (FIXED_HOURS.containsKey(id)) {
      return new Zone(null, FIXED_HOURS.get(id) * 3600);
    }
    Matcher offset = OFFSET.matcher(id);
    if (!offset.matches()) {
      throw new CommandException(
          ErrorCode.LOCATION_40485, "unrecognized time zone identifier: \"" + id + "\"");
    }
    int minutes = offset.group(3) == null ? 0 : Integer.parseInt(offset.group(3));
    int seconds = (Integer.parseInt(offset.group(2)) * 60 + minutes) * 60;
    return new Zone(null, offset.group(1).equals("-") ? -seconds : seconds);
  }

  /** Whether it is UTC by name or offset; GMT, which never differs from it, is another zone. */
  boolean isUtc() {
    return rules == null && offsetSeconds == 0;
  }

  int offsetSeconds(long millis) {
    return rules == null
        ? offsetSeconds
        : rules.getOffset(Instant.ofEpochMilli(millis)).getTotalSeconds();
  }

  public long toLocal(long millis) {
    return millis + offsetSeconds(millis) * 1000L;
  }

  /** In a gap the offset before it counts, when clocks are set back the first of the two times. */
  public long fromLocal(long local) {
    if (rules == null) {
      return local - offsetSeconds * 1000L;
    }
    var wall = LocalDateTime.ofEpochSecond(Math.floorDiv(local, 1000L), 0, ZoneOffset.UTC);
    List<ZoneOffset> offsets = rules.getValidOffsets(wall);
    ZoneOffset offset =
        offsets.isEmpty() ? rules.getTransition(wall).getOffsetBefore() : offsets.get(0);
    return local - offset.getTotalSeconds() * 1000L;
  }
}
