package dev.orrery.value;

import java.nio.charset.StandardCharsets;

/**
 * How strings and symbols compare: by their UTF-8 bytes, or by the rules of a collation. Both
 * methods must tell the same order: {@code compare(a, b)} has the sign of the unsigned comparison
 * of {@code sortKey(a)} with {@code sortKey(b)}.
 */
public interface StringOrder {
  /** The order of the UTF-8 bytes, which is the order of the code points. */
  StringOrder UTF8 =
      new StringOrder() {
        @Override
        public int compare(String left, String right) {
          return Utf8Order.compare(left, right);
        }

        @Override
        public byte[] sortKey(String text) {
          return text.getBytes(StandardCharsets.UTF_8);
        }
      };

  int compare(String left, String right);

  /** Bytes that order, compared unsigned, as the strings do. */
  byte[] sortKey(String text);
}
