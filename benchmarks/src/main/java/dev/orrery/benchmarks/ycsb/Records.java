package dev.orrery.benchmarks.ycsb;

import java.nio.ByteBuffer;
import java.util.Random;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;

/** YCSB's records: a key such as {@code user618033988749}, and ten fields of 100 characters. */
public final class Records {
  public static final int FIELDS = 10;
  public static final int FIELD_CHARACTERS = 100;

  private static final int DIGITS = 12;
  private static final long KEYS = 1_000_000_000_000L;
  private static final long STEP = 618_033_988_749L; // without a common factor with KEYS
  private static final String PREFIX = "user";

  private Records() {}

  /** Keys in an order that is not theirs, as if they were hashes. */
  public static String key(long number) {
    return PREFIX + String.format("%012d", scattered(number));
  }

  /** Overwrites the key that stands in a message at an offset. */
  public static void putKey(ByteBuffer message, int offset, long number) {
    putDigits(message, offset + PREFIX.length(), scattered(number));
  }

  /** Overwrites twelve digits. */
  public static void putDigits(ByteBuffer message, int offset, long number) {
    long rest = number;
    for (int i = DIGITS - 1; i >= 0; i--) {
      message.put(offset + i, (byte) ('0' + rest % 10));
      rest /= 10;
    }
  }

  private static long scattered(long number) {
    return Math.multiplyExact(number, STEP) % KEYS;
  }

  public static BsonDocument document(long number) {
    var document = new BsonDocument("_id", new BsonString(key(number)));
    var random = new Random(number);
    for (int field = 0; field < FIELDS; field++) {
      document.append("field" + field, new BsonString(text(random)));
    }
    return document;
  }

  /** The size of a document. */
  public static int documentBytes() {
    return new RawBsonDocument(document(0), new BsonDocumentCodec()).getByteBuffer().remaining();
  }

  /** A value that begins with twelve digits. */
  public static String text(Random random) {
    var text = new StringBuilder("0".repeat(DIGITS));
    while (text.length() < FIELD_CHARACTERS) {
      text.append((char) ('a' + random.nextInt(26)));
    }
    return text.toString();
  }
}
