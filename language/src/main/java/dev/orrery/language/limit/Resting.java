package dev.orrery.language.limit;

/** Holds memory for a cursor, and can do with less while nobody reads it. */
public interface Resting {
  /** Takes memory for what it keeps and has not counted while it was read. */
  default void count() {}

  /**
   * Closes what can be opened again.
   *
   * @param spills whether it shall also write to disk what it has in memory, if it can
   */
  void rest(boolean spills);
}
