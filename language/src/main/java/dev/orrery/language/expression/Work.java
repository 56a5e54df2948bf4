package dev.orrery.language.expression;

import dev.orrery.language.limit.Allowance;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * Counts what an operator does with a value that may be large. Most operators go through an operand
 * once, in a loop of their own or of Java's, and the next one may go through the same value again:
 * it is their number that a client chooses.
 */
public final class Work {
  /** How many characters or bytes are as much work as one element. */
  private static final int BYTES_PER_STEP = 64;

  private static final int COUNTED_BYTES_MIN = 1024;

  private Work() {}

  /** Counts that an operator goes through a value; what is small counts nothing. */
  static void count(@Nullable BsonValue value, Allowance allowance) {
    if (value instanceof BsonArray array) {
      allowance.steps(array.size());
    } else if (value instanceof BsonString text) {
      allowance.steps(text.getValue().length() / BYTES_PER_STEP);
    } else if (value instanceof BsonDocument document) {
      allowance.steps(
          document instanceof RawBsonDocument raw
              ? raw.getByteLength() / BYTES_PER_STEP // its fields would have to be looked for
              : document.size());
    } else if (value instanceof BsonBinary binary) {
      allowance.steps(binary.getData().length / BYTES_PER_STEP);
    }
  }

  /** Counts that so many bytes or characters were gone through; a few are not worth it. */
  public static void countBytes(long bytes) {
    if (bytes >= COUNTED_BYTES_MIN) {
      Allowance.current().steps(bytes / BYTES_PER_STEP);
    }
  }
}
