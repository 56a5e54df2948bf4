package dev.orrery.wire;

import dev.orrery.value.LittleEndian;
import java.nio.charset.StandardCharsets;
import java.util.StringJoiner;

/**
 * Checks that a stretch of bytes is one BSON document: every length, type, terminator and string,
 * at every depth. Whoever reads the document later may rely on it and check no bound.
 *
 * <p>Keeps the ends of the open documents in an array instead of calling itself, so the depth of a
 * document costs no stack. Not for use by two threads at a time.
 */
public final class BsonValidator {
  private static final int SMALLEST_DOCUMENT = 5;
  private static final int SMALLEST_CODE_WITH_SCOPE = 4 + 5 + SMALLEST_DOCUMENT;
  private static final int OLD_BINARY = 2;

  /** The lowest bit of each of eight bytes. */
  private static final long LOWEST_BITS = 0x0101_0101_0101_0101L;

  private final int[] ends = new int[WireLimits.NESTING_DEPTH_MAX + 1];
  private final int[] names = new int[WireLimits.NESTING_DEPTH_MAX + 1];
  private int depth;

  /**
   * Checks the document that starts at {@code start}, and returns where it ends.
   *
   * @throws WireException if there is none, or it does not end at or before {@code limit}
   */
  public int validate(byte[] bytes, int start, int limit) {
    depth = 0;
    int end = ends[0] = documentEnd(bytes, start, limit);
    int at = start + Integer.BYTES;
    while (true) {
      // Holds here: at < end, and the byte at end - 1 is zero. Each step keeps at <= end - 1.
      int type = bytes[at++];
      if (type != 0) {
        int name = at;
        int outer = depth;
        at = value(type, bytes, keyEnd(bytes, at, end - 1), end - 1);
        end = ends[depth];
        if (depth > outer) {
          names[depth] = name;
          requireDepth(bytes);
        }
      } else if (at != end) {
        throw new WireException("a document ends before its length");
      } else if (depth == 0) {
        return end;
      } else {
        end = ends[--depth];
      }
    }
  }

  private void requireDepth(byte[] bytes) {
    if (depth < WireLimits.NESTING_DEPTH_MAX) {
      return;
    }
    var path = new StringJoiner(".");
    for (int i = 1; i <= depth; i++) {
      int end = keyEnd(bytes, names[i], ends[i - 1] - 1) - 1;
      path.add(new String(bytes, names[i], end - names[i], StandardCharsets.UTF_8));
    }
    throw new DeepMessageException(path.toString());
  }

  /** Returns the position after the value; after the length, for a value that is a document. */
  private int value(int type, byte[] bytes, int at, int last) {
    return switch (type) {
      case 0x01, 0x09, 0x11, 0x12 -> skip(at, 8, last); // double, date, timestamp, int64
      case 0x02, 0x0d, 0x0e -> stringEnd(bytes, at, last); // string, code, symbol
      case 0x03, 0x04 -> open(bytes, at, last);
      case 0x05 -> binaryEnd(bytes, at, last);
      case 0x06, 0x0a, 0x7f, -1 -> at; // undefined, null, max key, min key
      case 0x07 -> skip(at, 12, last); // object id
      case 0x08 -> booleanEnd(bytes, at, last);
      case 0x0b -> keyEnd(bytes, keyEnd(bytes, at, last), last); // regular expression
      case 0x0c -> skip(stringEnd(bytes, at, last), 12, last); // database pointer
      case 0x0f -> openScope(bytes, at, last);
      case 0x10 -> skip(at, 4, last); // int32
      case 0x13 -> skip(at, 16, last); // decimal128
      default -> throw new WireException("unknown BSON type " + (type & 0xff));
    };
  }

  private int open(byte[] bytes, int at, int last) {
    ends[++depth] = documentEnd(bytes, at, last);
    return at + Integer.BYTES;
  }

  private int openScope(byte[] bytes, int at, int last) {
    int length = length(bytes, at, last);
    if (length < SMALLEST_CODE_WITH_SCOPE || length > last - at) {
      throw new WireException("code with scope has the length " + length);
    }
    int end = at + length;
    int scope = stringEnd(bytes, at + Integer.BYTES, end);
    int inside = open(bytes, scope, end);
    if (ends[depth] != end) {
      throw new WireException("code with scope does not end with its scope");
    }
    return inside;
  }

  private static int documentEnd(byte[] bytes, int at, int limit) {
    int length = length(bytes, at, limit);
    if (length < SMALLEST_DOCUMENT || length > limit - at) {
      throw new WireException("a document has the length " + length);
    }
    int end = at + length;
    if (bytes[end - 1] != 0) {
      throw new WireException("a document does not end with a zero byte");
    }
    return end;
  }

  /** The end of a string without a length: a field name, a part of a regular expression. */
  private static int keyEnd(byte[] bytes, int from, int last) {
    int at = from;
    long anyNonAscii = 0;
    long zeros = 0;
    // Eight bytes at a time: names end after two bytes or ten, and a processor that goes from byte
    // to byte guesses wrong where. The zero byte at last stops every scan.
    while (zeros == 0 && at <= bytes.length - Long.BYTES) {
      long word = LittleEndian.int64(bytes, at);
      zeros = word - LOWEST_BITS & ~word & Utf8.NON_ASCII; // the lowest one is right
      anyNonAscii |= word & Utf8.NON_ASCII & Long.lowestOneBit(zeros) - 1;
      at += Long.numberOfTrailingZeros(zeros) / Byte.SIZE;
    }
    while (bytes[at] != 0) {
      anyNonAscii |= bytes[at++] & Utf8.NON_ASCII;
    }
    if (at >= last) {
      throw new WireException("a field name is not terminated");
    }
    if (anyNonAscii != 0) {
      Utf8.requireValid(bytes, from, at);
    }
    return at + 1;
  }

  private static int stringEnd(byte[] bytes, int at, int last) {
    int length = length(bytes, at, last);
    int from = at + Integer.BYTES;
    if (length < 1 || length > last - from) {
      throw new WireException("a string has the length " + length);
    }
    int terminator = from + length - 1;
    if (bytes[terminator] != 0) {
      throw new WireException("a string does not end with a zero byte");
    }
    Utf8.requireValid(bytes, from, terminator);
    return terminator + 1;
  }

  private static int binaryEnd(byte[] bytes, int at, int last) {
    int length = length(bytes, at, last);
    int subtype = skip(at, Integer.BYTES, last);
    int from = skip(subtype, 1, last);
    if (length < 0 || length > last - from) {
      throw new WireException("binary data has the length " + length);
    }
    if (bytes[subtype] == OLD_BINARY && (length < 4 || length(bytes, from, last) != length - 4)) {
      throw new WireException("old binary data has two lengths that disagree");
    }
    return from + length;
  }

  private static int booleanEnd(byte[] bytes, int at, int last) {
    int end = skip(at, 1, last);
    if (bytes[at] != 0 && bytes[at] != 1) {
      throw new WireException("a boolean is neither 0 nor 1");
    }
    return end;
  }

  private static int length(byte[] bytes, int at, int last) {
    skip(at, Integer.BYTES, last);
    return LittleEndian.int32(bytes, at);
  }

  private static int skip(int at, int length, int last) {
    if (length > last - at) {
      throw new WireException("a value runs past the end of its document");
    }
    return at + length;
  }
}
