package dev.orrery.language.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.value.BsonOrder;
import dev.orrery.value.RawDocument;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;

class SortPatternTest {
  @Test
  void arraySortsByTheKeyThatComesFirst() {
    assertThat(values("{a: 1}", "{a: [3, 1, 2]}")).isEqualTo("[1]");
    assertThat(values("{a: -1}", "{a: [3, 1, 2]}")).isEqualTo("[3]");
    assertThat(values("{'a.b': 1, 'a.c': -1}", "{a: [{b: 1, c: 2}, {b: 1, c: 5}, {b: 2, c: 9}]}"))
        .isEqualTo("[1, 5]");
  }

  @Test
  void missingIsNullAndAnEmptyArrayIsBeforeIt() {
    assertThat(values("{a: 1, b: 1}", "{b: []}")).isEqualTo("[null, undefined]");
    assertThat(values("{'a.b': 1}", "{a: []}")).isEqualTo("[null]");
    assertThat(values("{'a.b': 1}", "{a: 5}")).isEqualTo("[null]");
  }

  @Test
  void numberInAPathSelectsOneElement() {
    assertThat(values("{'a.0': 1}", "{a: [[2, 1], 0]}")).isEqualTo("[[2, 1]]");
    assertThat(values("{'a.1.b': 1}", "{a: [{b: 1}, {b: [7, 8]}]}")).isEqualTo("[7]");
    assertThat(values("{'a.5': 1}", "{a: [1]}")).isEqualTo("[null]");
  }

  @Test
  void naturalOrderIsAPatternOfItsOwn() {
    assertThat(SortPattern.isNatural(raw("{$natural: -1}"))).isTrue();
    assertThat(SortPattern.isNatural(raw("{a: 1}"))).isFalse();
  }

  @Test
  void longArraysAreSorted() {
    var numbers = new BsonArray();
    for (int i = 0; i < 100_000; i++) {
      numbers.add(new BsonDocument("x", new BsonInt32(i)));
    }
    var document = RawDocument.of(new BsonDocument("a", numbers));
    var pattern = SortPattern.parse(raw("{'a.x': -1}"), BsonOrder.CANONICAL);
    assertThat(pattern.values(document).get(0).asInt32()).isEqualTo(99_999);
  }

  private static String values(String pattern, String document) {
    var values = SortPattern.parse(raw(pattern), BsonOrder.CANONICAL).values(raw(document));
    var array = new BsonArray();
    values.forEach(value -> array.add(value.toBsonValue()));
    String json =
        new BsonDocument("v", array).toJson().replace("{\"$undefined\": true}", "undefined");
    return json.substring(6, json.length() - 1);
  }

  private static RawDocument raw(String json) {
    return RawDocument.of(BsonDocument.parse(json));
  }
}
