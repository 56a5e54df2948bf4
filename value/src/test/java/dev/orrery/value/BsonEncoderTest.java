package dev.orrery.value;

import static org.assertj.core.api.Assertions.assertThat;

import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;

class BsonEncoderTest {
  private static final int LONG_BYTES = 8 << 20;

  /** An array of twice the length may be more than a small heap has. */
  @Test
  void aLongValueTakesLittleMoreThanItsOwnLength() {
    requireLittleMore(new BsonString("t".repeat(LONG_BYTES)), 16);
    requireLittleMore(new BsonBinary(new byte[LONG_BYTES]), 16);
  }

  @Test
  void manyShortValuesTakeAQuarterMoreAtTheMost() {
    var numbers = new BsonArray();
    for (int i = 0; i < LONG_BYTES / 10; i++) {
      numbers.add(new BsonInt32(i));
    }
    requireLittleMore(numbers, 4);
  }

  private static void requireLittleMore(BsonValue value, int part) {
    var encoder = new BsonEncoder(64);
    encoder.writeDocument(new BsonDocument("v", value).append("n", new BsonInt32(1)));
    assertThat(encoder.length()).isGreaterThan(LONG_BYTES);
    assertThat(encoder.buffer().length).isLessThan(encoder.length() + encoder.length() / part + 16);
  }
}
