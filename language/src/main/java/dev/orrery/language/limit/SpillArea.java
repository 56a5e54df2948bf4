package dev.orrery.language.limit;

import java.io.IOException;

/** Where requests put away what they cannot keep in memory. May be used by several threads. */
@FunctionalInterface
public interface SpillArea {
  /** For work that never puts anything away. */
  SpillArea NONE =
      purpose -> {
        throw new IOException("there is no place to put anything away for " + purpose);
      };

  /**
   * A new, empty file, which nobody else sees.
   *
   * @param purpose a word for people who look at what is there
   */
  SpillFile create(String purpose) throws IOException;
}
