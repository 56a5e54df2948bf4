package dev.orrery.language.update;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.ParseContext;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import org.bson.BsonBinaryWriter;
import org.bson.BsonDocument;
import org.bson.io.BasicOutputBuffer;
import org.bson.json.JsonReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Updates with a name twice, which some drivers can write and maps cannot hold. They are JSON,
 * written field by field.
 */
class RepeatedOperatorsTest {
  private static final RawDocument BEFORE = RawDocument.of(BsonDocument.parse("{_id: 1}"));

  private static Update parse(String json) {
    var buffer = new BasicOutputBuffer();
    try (var writer = new BsonBinaryWriter(buffer)) {
      writer.pipe(new JsonReader(json));
    }
    var update = new RawValue(RawTypes.DOCUMENT, buffer.toByteArray(), 0);
    return UpdateParser.parse(update, UpdateOptions.of(ParseContext.at(0)));
  }

  private static BsonDocument updated(String json) {
    var after = parse(json).apply(BEFORE, Update.NO_ARRAY_INDEX, TinyCollection.CLOCK);
    return after.document().toBsonDocument();
  }

  @Test
  void anOperatorMayComeTwice() {
    assertThat(updated("{$set: {a: 5}, $set: {b: 5}}"))
        .isEqualTo(BsonDocument.parse("{_id: 1, a: 5, b: 5}"));
  }

  @Test
  void aPathThatComesTwiceIsAConflict() {
    assertThatThrownBy(() -> parse("{$set: {a: 5}, $set: {a: 5}}"))
        .hasMessage("Updating the path 'a' would create a conflict at 'a'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"$each: [1]", "$slice: 1", "$sort: 1", "$position: 1"})
  void aClauseOfPushComesOnce(String clause) {
    String name = clause.substring(0, clause.indexOf(':'));
    assertThatThrownBy(() -> parse("{$push: {a: {$each: [2], %1$s, %1$s}}}".formatted(clause)))
        .isInstanceOfSatisfying(
            CommandException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_VALUE))
        .hasMessage("Only one " + name + " is supported.");
  }

  @Test
  void theClausesOfPushAreLookedAtInTheirOrder() {
    assertThatThrownBy(() -> parse("{$push: {a: {$each: [1], $x: 1, $each: [2]}}}"))
        .hasMessage("Unrecognized clause in $push: $x");
  }

  @Test
  void addToSetTakesOneEach() {
    assertThatThrownBy(() -> parse("{$addToSet: {a: {$each: [1], $each: [2]}}}"))
        .isInstanceOfSatisfying(
            CommandException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_VALUE))
        .hasMessage(
            "Found unexpected fields after $each in $addToSet: { $each: [ 1 ], $each: [ 2 ] }");
    assertThatThrownBy(() -> parse("{$addToSet: {a: {$each: 1, $each: [2]}}}"))
        .hasMessage("The argument to $each in $addToSet must be an array but it was of type int");
  }

  @Test
  void bitsMayBeChangedTwiceInOneWay() {
    assertThat(updated("{$bit: {a: {or: 1, or: 4}}}"))
        .isEqualTo(BsonDocument.parse("{_id: 1, a: 5}"));
  }
}
