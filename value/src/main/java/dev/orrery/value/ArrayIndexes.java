package dev.orrery.value;

/** The names of array elements in BSON, "0", "1", …; the small ones are made once. */
public final class ArrayIndexes {
  private static final String[] NAMES = new String[1000];

  static {
    for (int i = 0; i < NAMES.length; i++) {
      NAMES[i] = Integer.toString(i);
    }
  }

  private ArrayIndexes() {}

  public static String name(int index) {
    return index < NAMES.length ? NAMES[index] : Integer.toString(index);
  }
}
