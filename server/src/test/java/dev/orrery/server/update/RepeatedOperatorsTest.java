package dev.orrery.server.update;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.server.expression.ParseContext;
import dev.orrery.storage.value.RawDocument;
import dev.orrery.storage.value.RawTypes;
import dev.orrery.storage.value.RawValue;
import org.bson.BsonBinaryWriter;
import org.bson.BsonDocument;
import org.bson.io.BasicOutputBuffer;
import org.junit.jupiter.api.Test;

/** Updates with a name twice, which some drivers can write and maps cannot hold. */
class RepeatedOperatorsTest {
  private static final RawDocument BEFORE = RawDocument.of(BsonDocument.parse("{_id: 1}"));

  /** An update that sets one field after another, each by an operator of its own. */
  private static RawValue setsOf(String... fields) {
    var buffer = new BasicOutputBuffer();
    try (var writer = new BsonBinaryWriter(buffer)) {
      writer.writeStartDocument();
      for (String field : fields) {
        writer.writeStartDocument("$set");
        writer.writeInt32(field, 5);
        writer.writeEndDocument();
      }
      writer.writeEndDocument();
    }
    return new RawValue(RawTypes.DOCUMENT, buffer.toByteArray(), 0);
  }

  private static Update parse(RawValue update) {
    return UpdateParser.parse(update, UpdateOptions.of(ParseContext.at(0)));
  }

  @Test
  void anOperatorMayComeTwice() {
    var after = parse(setsOf("a", "b")).apply(BEFORE, Update.NO_ARRAY_INDEX, TinyCollection.CLOCK);
    assertThat(after.document().toBsonDocument())
        .isEqualTo(BsonDocument.parse("{_id: 1, a: 5, b: 5}"));
  }

  @Test
  void aPathThatComesTwiceIsAConflict() {
    assertThatThrownBy(() -> parse(setsOf("a", "a")))
        .hasMessage("Updating the path 'a' would create a conflict at 'a'");
  }
}
