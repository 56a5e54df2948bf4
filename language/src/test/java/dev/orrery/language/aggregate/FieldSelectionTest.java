package dev.orrery.language.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.expression.Dependencies;
import dev.orrery.value.RawDocument;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

class FieldSelectionTest {
  private static final RawDocument DOCUMENT =
      RawDocument.of(
          BsonDocument.parse(
              "{_id: 1, a: {b: 1, c: {d: 2, e: 3}}, l: [{x: 1, y: 2}, 3, [{x: 4, y: 5}]], é: 6}"));

  private static BsonDocument decoded(String... paths) {
    return FieldSelection.of(List.of(paths)).decode(DOCUMENT);
  }

  @Test
  void onlyNamedFieldsAreDecodedInTheirOrder() {
    assertThat(decoded("é", "_id").toJson()).isEqualTo("{\"_id\": 1, \"é\": 6}");
    assertThat(decoded("none")).isEmpty();
    assertThat(decoded()).isEmpty();
  }

  @Test
  void fieldsOfFieldsAreSelected() {
    assertThat(decoded("a.c.d")).isEqualTo(BsonDocument.parse("{a: {c: {d: 2}}}"));
    assertThat(decoded("a.c.d", "a.c")).isEqualTo(BsonDocument.parse("{a: {c: {d: 2, e: 3}}}"));
    assertThat(decoded("_id.x")).isEqualTo(BsonDocument.parse("{_id: 1}"));
  }

  @Test
  void elementsKeepTheirPlaces() {
    assertThat(decoded("l.x")).isEqualTo(BsonDocument.parse("{l: [{x: 1}, 3, [{x: 4, y: 5}]]}"));
  }

  @Test
  void ofAShapeTheDocumentsAreEmpty() {
    var dependencies = new Dependencies();
    dependencies.addShape("l");
    dependencies.addShape("a.b");
    assertThat(FieldSelection.of(dependencies.fields()).decode(DOCUMENT))
        .isEqualTo(BsonDocument.parse("{a: {b: 1}, l: [{}, 3, [{x: 4, y: 5}]]}"));
    dependencies.addField("l.y");
    dependencies.addField("a");
    assertThat(FieldSelection.of(dependencies.fields()).decode(DOCUMENT))
        .isEqualTo(
            BsonDocument.parse("{a: {b: 1, c: {d: 2, e: 3}}, l: [{y: 2}, 3, [{x: 4, y: 5}]]}"));
  }

  @Test
  void positionsNeedTheWholeArray() {
    assertThat(decoded("l.0.x"))
        .isEqualTo(BsonDocument.parse("{l: [{x: 1, y: 2}, 3, [{x: 4, y: 5}]]}"));
  }
}
