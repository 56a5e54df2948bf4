package dev.orrery.server.console.history;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How fine the history is, and how far back it goes: a ladder from seconds to days. */
public enum Resolution {
  SECOND(1, 120),
  MINUTE(60, 180),
  HOUR(3_600, 240);

  private final int seconds;
  private final int slots;

  Resolution(int seconds, int slots) {
    this.seconds = seconds;
    this.slots = slots;
  }

  /** How long one interval is. */
  public int seconds() {
    return seconds;
  }

  /** How many intervals are kept. */
  public int slots() {
    return slots;
  }

  /** The number of the interval that a second of the calendar lies in. */
  public long slotOf(long epochSecond) {
    return epochSecond / seconds;
  }

  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The resolution of that name, or null. */
  public static @Nullable Resolution find(String name) {
    for (Resolution each : values()) {
      if (each.wireName().equals(name)) {
        return each;
      }
    }
    return null;
  }
}
