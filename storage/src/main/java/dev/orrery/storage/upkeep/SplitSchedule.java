package dev.orrery.storage.upkeep;

/** Tells when a split must hurry, because the partition grows towards twice its limit. */
final class SplitSchedule {
  /*
   * Of the room that is left up to twice the limit, half may be used up when all is copied, and no
   * more at any moment than is copied. One that begins large, because it was merged or the limit was
   * lowered, has little room: it takes its time while it does not grow.
   */
  private static final double ROOM_TO_USE = 0.5;
  private static final double ROOM_MIN = 0.125; // of the limit

  private final long bytesAtStart;
  private final double room;

  SplitSchedule(long bytesMax, long bytesAtStart) {
    this.bytesAtStart = bytesAtStart;
    this.room = ROOM_TO_USE * Math.max(2.0 * bytesMax - bytesAtStart, ROOM_MIN * bytesMax);
  }

  /**
   * @param done how much is copied, from 0 to 1
   */
  boolean isBehind(double done, long bytes) {
    return done < (bytes - bytesAtStart) / room;
  }
}
