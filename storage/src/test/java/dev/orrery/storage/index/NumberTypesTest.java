package dev.orrery.storage.index;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.catalog.NumberTypes;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonSymbol;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.junit.jupiter.api.Test;

class NumberTypesTest {
  private static final IndexSpec INDEX =
      IndexSpec.of(BsonDocument.parse("{v: 2, key: {a: 1}, name: 'a_1'}"));
  private static final List<BsonValue> VALUES =
      List.of(
          new BsonInt32(5),
          new BsonInt32(0),
          new BsonInt64(5),
          new BsonInt64(5_000_000_000L),
          new BsonInt64(Long.MAX_VALUE),
          new BsonInt64(Long.MIN_VALUE),
          new BsonDouble(5),
          new BsonDouble(0),
          new BsonDouble(-0.0),
          new BsonDouble(0.5),
          new BsonDouble(5e9),
          new BsonDouble(-0x1p63),
          new BsonDouble(0x1p63),
          new BsonDouble(1e300),
          new BsonDouble(Double.NEGATIVE_INFINITY),
          new BsonDouble(Double.NaN),
          new BsonDecimal128(Decimal128.parse("5.00")),
          new BsonString("x"),
          new BsonSymbol("x"),
          BsonNull.VALUE,
          BsonDocument.parse("{x: 1, y: 0.5}"),
          BsonDocument.parse("{x: {$numberLong: '1'}}"),
          BsonDocument.parse("{x: 2.0}"),
          BsonDocument.parse("{x: [0.5, 'y', {z: {$numberLong: '5000000000'}}]}"));

  private record Entry(BsonValue value, byte[] key) {}

  @Test
  void whatCanBeReadIsWhatWasWritten() {
    var random = new Random(7);
    int readable = 0;
    for (int round = 0; round < 5_000; round++) {
      var entries = new ArrayList<Entry>();
      var types = NumberTypes.NOTHING;
      for (int i = 0; i <= random.nextInt(4); i++) {
        BsonValue value = VALUES.get(random.nextInt(VALUES.size()));
        var document = RawDocument.of(new BsonDocument("a", value));
        IndexKeySet keys = IndexKeys.of(INDEX).extract(document);
        types = types.with(keys.numbers());
        entries.add(new Entry(value, keys.keys().get(0)));
      }
      if (types.canRead(0)) {
        readable++;
        for (Entry entry : entries) {
          assertThat(types.read(0, entry.key, false)).isEqualTo(entry.value);
        }
      }
    }
    assertThat(readable).isGreaterThan(1_000);
  }

  @Test
  void fieldsThatNobodyWatchesCannotBeRead() {
    assertThat(NumberTypes.UNKNOWN.canRead(0)).isFalse();
    assertThat(NumberTypes.NOTHING.canRead(NumberTypes.FIELDS_MAX)).isFalse();
  }

  @Test
  void numbersBesideAnArrayAreNotedToo() {
    var index = IndexSpec.of(BsonDocument.parse("{v: 2, key: {a: 1, b: 1}, name: 'n'}"));
    var keys =
        IndexKeys.of(index)
            .extract(RawDocument.of(BsonDocument.parse("{a: {$numberLong: '1'}, b: [1, 2.0]}")));
    var numbers = keys.numbers();
    assertThat(numbers.with(numbers)).isEqualTo(numbers);
    assertThat(numbers.bits()).isNotZero();
  }
}
