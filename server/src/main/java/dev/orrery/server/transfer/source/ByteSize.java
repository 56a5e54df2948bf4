package dev.orrery.server.transfer.source;

/** Bytes as people read them. */
public final class ByteSize {
  private static final String[] UNITS = {"bytes", "KB", "MB", "GB", "TB"};

  private ByteSize() {}

  public static String text(long bytes) {
    double value = bytes;
    int unit = 0;
    while (value >= 1024 && unit < UNITS.length - 1) {
      value /= 1024;
      unit++;
    }
    return unit == 0 ? bytes + " bytes" : "%.1f %s".formatted(value, UNITS[unit]);
  }
}
