package dev.orrery.language.update;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.expression.ParseContext;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;

/** How large and how deep a document may become. */
class UpdateLimitsTest {
  private static final int MEGABYTE = 1024 * 1024;

  private final RawDocument document = RawDocument.of(new BsonDocument("_id", new BsonInt32(1)));

  private static Update set(String path, BsonValue value) {
    return UpdateParser.parse(
        RawValue.of(new BsonDocument("$set", new BsonDocument(path, value))),
        UpdateOptions.of(ParseContext.at(0)));
  }

  private static BsonString text(int length) {
    return new BsonString("x".repeat(length));
  }

  private void assertRefused(Update update, int code, String message) {
    ThrowingCallable apply =
        () -> update.apply(document, Update.NO_ARRAY_INDEX, TinyCollection.CLOCK);
    assertThatThrownBy(apply)
        .isInstanceOfSatisfying(
            CommandException.class, e -> assertThat(e.code().number()).isEqualTo(code))
        .hasMessage(message);
  }

  @Test
  void sixteenMegabytesAreStored() {
    int overhead = document.length() + 1 + 2 + 4 + 1; // type, name, length and end of a string
    var after =
        set("a", text(16 * MEGABYTE - overhead))
            .apply(document, Update.NO_ARRAY_INDEX, TinyCollection.CLOCK);

    assertThat(after.document().length()).isEqualTo(16 * MEGABYTE);
  }

  @Test
  void aLittleMoreIsRefusedAsResult() {
    assertRefused(
        set("a", text(16 * MEGABYTE)),
        17419,
        "Resulting document after update is larger than 16777216");
  }

  @Test
  void muchMoreIsRefusedAsDocument() {
    assertRefused(
        set("a", text(17 * MEGABYTE)),
        10334,
        "BSONObj size: 17825814 (0x1100016) is invalid. Size must be between 0 and 16793600(16MB)"
            + " First element: _id: 1");
  }

  @Test
  void documentsMayBe180Deep() {
    var update = set("a", nested(179));

    assertThat(update.apply(document, Update.NO_ARRAY_INDEX, TinyCollection.CLOCK).isModified())
        .isTrue();
    assertRefused(set("a", nested(180)), 15, "Document exceeds maximum nesting depth of 180");
    assertRefused(set("a.b", nested(179)), 15, "Document exceeds maximum nesting depth of 180");
  }

  /** A number inside so many arrays and documents. */
  private static BsonValue nested(int depth) {
    BsonValue value = new BsonInt32(1);
    for (int i = 0; i < depth; i++) {
      value = i % 2 == 0 ? new BsonArray(List.of(value)) : new BsonDocument("n", value);
    }
    return value;
  }
}
