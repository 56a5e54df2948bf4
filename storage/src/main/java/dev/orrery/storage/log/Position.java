package dev.orrery.storage.log;

/** A record's place as one number: the segment's number, then the offset in its file. */
final class Position {

  private Position() {}

  static long of(long segment, int offset) {
    return segment << Integer.SIZE | offset;
  }

  static long segment(long position) {
    return position >>> Integer.SIZE;
  }

  static int offset(long position) {
    return (int) position;
  }

  static String describe(long position) {
    return "position " + segment(position) + ":" + Integer.toUnsignedString(offset(position));
  }
}
