package dev.orrery.server.transfer.source;

/** CRC-64 with the polynomial of ECMA-182, reflected, as archives carry it for each collection. */
public final class Crc64 {
  private static final long POLYNOMIAL = 0xC96C5795D7870F42L;
  private static final int SLICES = 8;
  private static final long[][] TABLES = tables();

  private long state = -1;

  private static long[][] tables() {
    var tables = new long[SLICES][256];
    for (int i = 0; i < 256; i++) {
      long value = i;
      for (int bit = 0; bit < 8; bit++) {
        value = (value & 1) != 0 ? value >>> 1 ^ POLYNOMIAL : value >>> 1;
      }
      tables[0][i] = value;
    }
    for (int i = 0; i < 256; i++) {
      for (int slice = 1; slice < SLICES; slice++) {
        long before = tables[slice - 1][i];
        tables[slice][i] = tables[0][(int) (before & 0xff)] ^ before >>> 8;
      }
    }
    return tables;
  }

  /** Takes eight bytes at a time, each by its own table. */
  public void update(byte[] bytes, int offset, int length) {
    int at = offset;
    int end = offset + length;
    long crc = state;
    while (end - at >= SLICES) {
      long word = crc;
      for (int i = 0; i < SLICES; i++) {
        word ^= (bytes[at + i] & 0xffL) << 8 * i;
      }
      crc = 0;
      for (int i = 0; i < SLICES; i++) {
        crc ^= TABLES[SLICES - 1 - i][(int) (word >>> 8 * i & 0xff)];
      }
      at += SLICES;
    }
    while (at < end) {
      crc = TABLES[0][(int) ((crc ^ bytes[at++]) & 0xff)] ^ crc >>> 8;
    }
    state = crc;
  }

  public long value() {
    return ~state;
  }
}
