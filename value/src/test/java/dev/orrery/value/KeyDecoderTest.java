package dev.orrery.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.Random;
import org.bson.BsonArray;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeyDecoderTest {
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void keysWithTheirTypesGiveTheValuesBack(long seed) {
    var random = new Random(seed);
    var values = new RandomValues(random);
    for (int i = 0; i < 20_000; i++) {
      var encoder = new KeyEncoder();
      var types = new KeyTypes();
      BsonValue[] fields = {values.value(2), values.number(), values.value(1)};
      boolean[] isDescending = {random.nextBoolean(), random.nextBoolean(), random.nextBoolean()};
      for (int field = 0; field < fields.length; field++) {
        encoder.append(fields[field], isDescending[field]);
        types.append(RawValue.of(fields[field]));
      }
      var decoder = new KeyDecoder(encoder.toByteArray(), types.toByteArray());
      for (int field = 0; field < fields.length; field++) {
        assertThat(decoder.hasNext()).isTrue();
        assertThat(decoder.next(isDescending[field])).isEqualTo(fields[field]);
      }
      assertThat(decoder.hasNext()).isFalse();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[1, -1, 0]                                      | 0",
        "['a', true, null, {a: [1, 'x']}]                | 0",
        "[{$numberLong: '3000000000'}, 1.5, 1e300]       | 0",
        "[{$numberDouble: 'NaN'}, {$numberDouble: '-Infinity'}] | 0",
        "[{$numberLong: '5'}]                            | 1",
        "[1, 2, {$numberDouble: '5.0'}, 3, 4]            | 3",
        "[{$numberDecimal: '19.99'}]                     | 3"
      })
  void commonTypesNeedNoBytes(String json, int expected) {
    var types = new KeyTypes();
    BsonArray.parse(json).forEach(value -> types.append(RawValue.of(value)));
    assertThat(types.toByteArray()).hasSize(expected);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void doublesComeBackToTheLastBit(boolean isDescending) {
    var random = new Random(7);
    for (int i = 0; i < 200_000; i++) {
      double magnitude = Math.scalb(1 + random.nextDouble(), random.nextInt(66) - 2);
      double value = random.nextBoolean() ? magnitude : -magnitude;
      byte[] key = new KeyEncoder().append(new BsonDouble(value), isDescending).toByteArray();
      assertThat(new KeyDecoder(key, new byte[] {KeyTypes.DOUBLE}).next(isDescending))
          .isEqualTo(new BsonDouble(value));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1152921504606846976.5", "1152921504606847105.5", "9007199254740993.5"})
  void aDecimalWithoutItsTypeIsTheNearestDouble(String text) {
    for (String signed : new String[] {text, "-" + text}) {
      var decimal = new BsonDecimal128(Decimal128.parse(signed));
      assertThat(new KeyDecoder(KeyEncoder.encode(decimal), new byte[0]).next(false))
          .isEqualTo(new BsonDouble(new BigDecimal(signed).doubleValue()));
    }
  }

  @Test
  void withoutTypesNumbersComeBackAsTheCommonOnes() {
    var value = BsonDocument.parse("{v: {$numberDecimal: '5.00'}}").get("v");
    var decoder = new KeyDecoder(KeyEncoder.encode(value), new byte[0]);
    assertThat(decoder.next(false)).isEqualTo(new BsonInt32(5));
    var exact = BsonDocument.parse("{v: {$numberDecimal: '-19.99'}}").get("v");
    assertThat(new KeyDecoder(KeyEncoder.encode(exact), new byte[0]).next(false)).isEqualTo(exact);
  }
}
