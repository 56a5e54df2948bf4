package dev.orrery.storage.postgres;

import java.util.ArrayList;
import java.util.List;

/** Rows that are sent to the database as arrays, one for each column. */
final class Columns {
  private static final byte[] NOTHING = {};

  private final List<Object[]> rows = new ArrayList<>();
  private final String types;

  /**
   * @param types a letter for each column: i for int, l for bigint, b for bytea
   */
  Columns(String types) {
    this.types = types;
  }

  void add(Object... row) {
    rows.add(row);
  }

  int size() {
    return rows.size();
  }

  Object[] row(int index) {
    return rows.get(index);
  }

  /** Appends the arrays to the parameters of a statement. */
  void appendTo(List<Object> parameters) {
    for (int column = 0; column < types.length(); column++) {
      parameters.add(
          switch (types.charAt(column)) {
            case 'i' -> ints(column);
            case 'l' -> longs(column);
            default -> bytes(column);
          });
    }
  }

  private int[] ints(int column) {
    int[] values = new int[rows.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = (Integer) rows.get(i)[column];
    }
    return values;
  }

  private long[] longs(int column) {
    long[] values = new long[rows.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = (Long) rows.get(i)[column];
    }
    return values;
  }

  private byte[][] bytes(int column) {
    byte[][] values = new byte[rows.size()][];
    for (int i = 0; i < values.length; i++) {
      values[i] = (byte[]) rows.get(i)[column];
    }
    return values;
  }

  static byte[] nothing() {
    return NOTHING;
  }
}
