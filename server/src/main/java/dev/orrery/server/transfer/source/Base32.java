package dev.orrery.server.transfer.source;

import java.io.ByteArrayOutputStream;

/** The base 32 encoding of RFC 4648, which Java lacks. */
final class Base32 {
  private static final String ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

  private Base32() {}

  static byte[] decode(String text) {
    var bytes = new ByteArrayOutputStream();
    int bits = 0;
    int count = 0;
    for (char character : text.replaceAll("=+$", "").toCharArray()) {
      int digit = ALPHABET.indexOf(character);
      if (digit < 0) {
        throw new IllegalArgumentException("no base 32 digit: " + character);
      }
      bits = bits << 5 | digit;
      count += 5;
      if (count >= 8) {
        count -= 8;
        bytes.write(bits >>> count);
      }
    }
    return bytes.toByteArray();
  }
}
