package dev.orrery.server.expression;

import dev.orrery.server.limit.Allowance;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * Counts what an operator does with a value that may be large. Most operators go through an operand
 * once, in a loop of their own or of Java's, and the next one may go through the same value again:
 * it is their number that a client chooses.
 */
final class Work {
  /** How many characters are as much work as one element. */
  private static final int CHARACTERS = 64;

  private Work() {}

  /** Counts that an operator goes through a value; what is small counts nothing. */
  static void count(@Nullable BsonValue value, Allowance allowance) {
    if (value instanceof BsonArray array) {
      allowance.steps(array.size());
    } else if (value instanceof BsonString text) {
      allowance.steps(text.getValue().length() / CHARACTERS);
    } else if (value != null && value.getClass() == BsonDocument.class) { // a raw one has to count
      allowance.steps(((BsonDocument) value).size());
    }
  }
}
