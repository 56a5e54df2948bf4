package dev.orrery.value;

/** Upper and lower case of the letters A to Z, in every locale; others stay as they are. */
public final class AsciiCase {
  private AsciiCase() {}

  public static String lower(String text) {
    char[] letters = text.toCharArray();
    for (int i = 0; i < letters.length; i++) {
      if (letters[i] >= 'A' && letters[i] <= 'Z') {
        letters[i] += 'a' - 'A';
      }
    }
    return new String(letters);
  }

  public static String upper(String text) {
    char[] letters = text.toCharArray();
    for (int i = 0; i < letters.length; i++) {
      if (letters[i] >= 'a' && letters[i] <= 'z') {
        letters[i] -= 'a' - 'A';
      }
    }
    return new String(letters);
  }
}
