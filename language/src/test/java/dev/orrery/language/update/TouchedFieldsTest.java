package dev.orrery.language.update;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.expression.ParseContext;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;
import org.junit.jupiter.api.Test;

class TouchedFieldsTest {
  private static final UpdateClock CLOCK =
      new UpdateClock() {
        @Override
        public long nowMillis() {
          return 1;
        }

        @Override
        public BsonTimestamp nextTimestamp() {
          return new BsonTimestamp(1, 1);
        }
      };

  private static final List<String> VALUES =
      List.of("1", "2.5", "'x'", "null", "[1, 2, 1]", "[]", "{b: 1}", "{b: {c: [1]}}", "true");

  private static final List<String> OPERATIONS =
      List.of(
          "$set: {%s: %s}",
          "$inc: {%s: 2}",
          "$unset: {%s: 1}",
          "$push: {%s: %s}",
          "$pull: {%s: 1}",
          "$max: {%s: %s}",
          "$rename: {%s: 'd'}",
          "$currentDate: {%s: true}",
          "$setOnInsert: {%s: %s}",
          "$pop: {%s: 1}");

  private static final List<String> PATHS =
      List.of("a", "b", "c", "d", "'a.b'", "'a.b.c'", "'b.0'", "'b.$'", "'c.$[]'", "_id", "$x");

  private final Random random = new Random(20261116);

  @Test
  void onlyTheNamedFieldsAreDecoded() {
    RawDocument document = raw("{_id: 1, a: 1, b: 2, c: {d: 3}}");
    TouchedFields.Name[] names = TouchedFields.names(List.of("b", "z"));
    TouchedFields touched = TouchedFields.find(document, names);
    assertThat(touched.fields()).isEqualTo(BsonDocument.parse("{_id: 1, b: 2}"));
    touched.fields().append("z", touched.fields().get("b"));
    assertThat(touched.merged()).isEqualTo(raw("{_id: 1, a: 1, b: 2, c: {d: 3}, z: 2}"));
  }

  @Test
  void fieldsThatMovedAreLeftToTheWholeDocument() {
    TouchedFields.Name[] names = TouchedFields.names(List.of("a", "b"));
    TouchedFields touched = TouchedFields.find(raw("{_id: 1, a: 1, b: 2}"), names);
    touched.fields().append("a", touched.fields().remove("a"));
    assertThat(touched.merged()).isNull();
    assertThat(TouchedFields.find(raw("{a: 1, _id: 1}"), names)).isNull();
    assertThat(TouchedFields.names(List.of("a", "$b"))).isNull();
  }

  @Test
  void theResultIsThatOfAnUpdateOfTheWholeDocument() {
    int modified = 0;
    for (int i = 0; i < 20_000; i++) {
      RawDocument document = document();
      String update = update();
      OperatorUpdate parsed = parse(update);
      if (parsed == null) {
        continue;
      }
      int arrayIndex = random.nextInt(3) - 1;
      String expected = text(() -> parsed.applyToWhole(document, arrayIndex, CLOCK));
      String actual = text(() -> parsed.apply(document, arrayIndex, CLOCK));
      assertThat(actual).as("%s of %s", update, document).isEqualTo(expected);
      modified += expected.startsWith("true") ? 1 : 0;
    }
    assertThat(modified).isGreaterThan(2_000);
  }

  private RawDocument document() {
    var text = new StringBuilder("{_id: ").append(anyOf(List.of("1", "'x'", "{b: 1}")));
    for (String name : List.of("a", "b", "c", "e", "d")) {
      if (random.nextInt(4) > 0) {
        text.append(", ").append(name).append(": ").append(anyOf(VALUES));
      }
    }
    return raw(text.append("}").toString());
  }

  private String update() {
    String first = anyOf(OPERATIONS).formatted(anyOf(PATHS), anyOf(VALUES));
    String second = anyOf(OPERATIONS).formatted(anyOf(PATHS), anyOf(VALUES));
    return random.nextBoolean() ? "{" + first + "}" : "{" + first + ", " + second + "}";
  }

  private String anyOf(List<String> all) {
    return all.get(random.nextInt(all.size()));
  }

  /** Null for an update that is wrong by itself. */
  private static OperatorUpdate parse(String update) {
    try {
      var options = UpdateOptions.of(ParseContext.at(0));
      return (OperatorUpdate) UpdateParser.parse(RawValue.of(BsonDocument.parse(update)), options);
    } catch (CommandException e) {
      return null;
    }
  }

  private static String text(Supplier<Update.Result> update) {
    try {
      Update.Result result = update.get();
      return result.isModified() + " " + result.document();
    } catch (CommandException e) {
      return e.code() + " " + e.getMessage();
    }
  }

  private static RawDocument raw(String json) {
    return RawDocument.of(BsonDocument.parse(json));
  }
}
