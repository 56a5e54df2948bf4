package dev.orrery.server.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.value.RawDocument;
import java.nio.file.Path;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HintTest {
  @TempDir Path directory;
  private PlanFixture fixture;

  @BeforeEach
  void open() {
    fixture = new PlanFixture(directory, null, 1);
    fixture.insert(
        "{_id: 1, a: 3}", "{_id: 2, a: [1, 5]}", "{_id: 3}", "{_id: 4, a: {$numberLong: '4'}}");
    fixture.index("n", "{a: 1}", "{}");
    fixture.index("h", "{b: 1}", "{hidden: true}");
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void aHintedIndexIsScannedWhole() {
    assertThat(fixture.ids(fixture.query("{}").with(PlanFixture.hint("n"))))
        .containsExactly(3, 2, 1, 4);
    var pattern = new Query.Hints(BsonDocument.parse("{a: 1.0}"), null, null);
    assertThat(fixture.ids(fixture.query("{}").with(pattern))).containsExactly(3, 2, 1, 4);
  }

  @Test
  void naturalOrderIsGivenBothWays() {
    var reverse = new Query.Hints(BsonDocument.parse("{$natural: -1}"), null, null);
    assertThat(fixture.ids(fixture.query("{a: {$gt: 0}}").with(reverse))).containsExactly(4, 2, 1);
    assertThat(fixture.ids(fixture.query("{a: {$gt: 0}}").with(PlanFixture.natural())))
        .containsExactly(1, 2, 4);
  }

  @Test
  void anUnknownOrHiddenIndexIsRefused() {
    for (String name : List.of("h", "x")) {
      assertThatThrownBy(() -> fixture.ids(fixture.query("{a: 3}").with(PlanFixture.hint(name))))
          .hasMessage("hint provided does not correspond to an existing index");
    }
  }

  @Test
  void minAndMaxCutTheIndex() {
    assertThat(fixture.ids(fixture.query("{}").with(range("{a: 3}", "{a: 5}"))))
        .containsExactly(1, 4);
    assertThat(fixture.ids(fixture.query("{}").with(range("{a: 3}", null))))
        .containsExactly(1, 4, 2);
    assertThatThrownBy(() -> fixture.ids(fixture.query("{}").with(range("{b: 3}", null))))
        .hasMessageEndingWith("The index chosen is not compatible with min/max");
    assertThatThrownBy(() -> fixture.ids(fixture.query("{}").with(range("{a: 3}", "{a: 3}"))))
        .hasMessageContaining("does not come before");
    var unhinted = new Query.Hints(null, BsonDocument.parse("{a: 3}"), null);
    assertThatThrownBy(() -> fixture.ids(fixture.query("{}").with(unhinted)))
        .hasMessageContaining("a hint of which index to use must be provided");
  }

  private static Query.Hints range(String min, String max) {
    return new Query.Hints(
        new BsonString("n"),
        min == null ? null : BsonDocument.parse(min),
        max == null ? null : BsonDocument.parse(max));
  }

  @Test
  void keysAreGivenInsteadOfDocuments() {
    Query query =
        fixture
            .query("{a: {$gt: 0}}")
            .with(PlanFixture.hint("n"))
            .with(new Query.Output(null, true, false));
    assertThat(fixture.run(query).stream().map(RawDocument::toBsonDocument))
        .containsExactly(
            BsonDocument.parse("{a: 1}"),
            BsonDocument.parse("{a: 3}"),
            BsonDocument.parse("{a: {$numberLong: '4'}}"));
  }

  @Test
  void recordIdsAreAdded() {
    Query query = fixture.query("{_id: 2}").with(new Query.Output(null, false, true));
    assertThat(fixture.run(query).get(0).field("$recordId")).isNotNull();
  }
}
