package dev.orrery.language.update;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.expression.ParseContext;
import dev.orrery.language.query.Collation;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

/** Updates whose statement has a collation: here one that ignores case. */
class CollatedUpdatesTest {
  private static final Collation COLLATION =
      Collation.parse(BsonDocument.parse("{locale: 'en', strength: 2}"));

  private static final UpdateOptions OPTIONS =
      UpdateOptions.of(ParseContext.at(0)).withOrder(COLLATION.order());

  private static Update.Result apply(String update, UpdateOptions options) {
    var before = RawDocument.of(BsonDocument.parse("{_id: 1, s: 'b', a: ['A', 'b', 'C']}"));
    return UpdateParser.parse(RawValue.of(BsonDocument.parse(update)), options)
        .apply(before, Update.NO_ARRAY_INDEX, TinyCollection.CLOCK);
  }

  private static void assertArray(String update, String expected) {
    assertThat(apply(update, OPTIONS).document().toBsonDocument().get("a"))
        .isEqualTo(BsonDocument.parse("{a: " + expected + "}").get("a"));
  }

  @Test
  void pullTakesStringsThatAreEqualByTheCollation() {
    assertArray("{$pull: {a: 'a'}}", "['b', 'C']");
    assertArray("{$pull: {a: {$in: ['a', 'c']}}}", "['b']");
    assertArray("{$pullAll: {a: ['a', 'B']}}", "['C']");
  }

  @Test
  void addToSetAddsNoStringThatIsEqualByTheCollation() {
    assertThat(apply("{$addToSet: {a: {$each: ['a', 'B']}}}", OPTIONS).isModified()).isFalse();
    assertArray("{$addToSet: {a: {$each: ['d', 'D']}}}", "['A', 'b', 'C', 'd']");
  }

  @Test
  void pushSortsByTheCollation() {
    assertArray("{$push: {a: {$each: ['B'], $sort: 1}}}", "['A', 'b', 'B', 'C']");
  }

  @Test
  void maximumComparesByTheCollation() {
    assertThat(apply("{$max: {s: 'B'}}", OPTIONS).isModified()).isFalse();
    assertThat(apply("{$max: {s: 'C'}}", OPTIONS).isModified()).isTrue();
  }

  @Test
  void arrayFiltersCompareByTheCollation() {
    var options = OPTIONS.withArrayFilters(List.of(BsonDocument.parse("{x: 'c'}")));

    assertThat(apply("{$set: {'a.$[x]': 0}}", options).isModified()).isTrue();
  }

  @Test
  void setTellsStringsApartThatAreEqualByTheCollation() {
    assertThat(apply("{$set: {s: 'B'}}", OPTIONS).isModified()).isTrue();
  }
}
