package dev.orrery.server.command.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.DataFixture;
import java.nio.file.Path;
import org.bson.BsonArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The options of find that must agree with each other, and what $meta shows. */
class FindOptionsTest {
  private DataFixture data;

  @BeforeEach
  void open(@TempDir Path directory) {
    data = new DataFixture(directory);
    data.create("c", "{}", null, "{v: 2, key: {a: 1, b: -1}, name: 'ab'}");
    data.run("{insert: 'c', documents: [{_id: 1, a: 2, b: 'x'}, {_id: 2, a: [1, 3]}]}");
  }

  @AfterEach
  void close() {
    data.close();
  }

  private BsonArray found(String options) {
    return data.run("{find: 'c', " + options + "}").getDocument("cursor").getArray("firstBatch");
  }

  private String error(String options) {
    return data.error("{find: 'c', " + options + "}");
  }

  @Test
  void minAndMaxNameTheSameFields() {
    assertThat(error("hint: 'ab', min: {a: 1, b: 1}, max: {a: 1}"))
        .isEqualTo("51176 Location51176: min and max must have the same field names");
    assertThat(error("hint: 'ab', min: {a: 1, b: 1}, max: {b: 1, a: 1}")).startsWith("51176 ");
  }

  @Test
  void aNaturalHintHasADirection() {
    for (String hint : new String[] {"0", "2", "'x'", "true", "1, a: 1"}) {
      assertThat(error("hint: {$natural: " + hint + "}"))
          .isEqualTo("2 BadValue: $natural hint cannot be set to a value other than -1 or 1.");
    }
  }

  @Test
  void aNaturalSortTakesNoOtherHint() {
    assertThat(error("sort: {$natural: 1}, hint: 'ab'"))
        .isEqualTo("2 BadValue: index hint not allowed with $natural sort order");
    assertThat(error("sort: {$natural: 1}, hint: {$natural: -1}"))
        .isEqualTo(
            "2 BadValue: $natural hint must be in the same direction as $natural sort order");
    assertThat(found("sort: {$natural: -1}, hint: {$natural: -1}, projection: {_id: 1}"))
        .isEqualTo(BsonArray.parse("[{_id: 2}, {_id: 1}]"));
  }

  @Test
  void flagsAreBooleans() {
    assertThat(error("allowPartialResults: 'x'"))
        .isEqualTo(
            "14 TypeMismatch: Field 'allowPartialResults' should be a boolean value, but found:"
                + " string");
  }

  @Test
  void sortKeysAreShown() {
    String sortKey = "projection: {_id: 1, k: {$meta: 'sortKey'}}";
    assertThat(found("sort: {a: -1, b: 1}, " + sortKey))
        .isEqualTo(BsonArray.parse("[{_id: 2, k: [3, null]}, {_id: 1, k: [2, 'x']}]"));
    assertThat(error(sortKey))
        .isEqualTo("2 BadValue: cannot use sortKey $meta projection without a sort");
  }

  @Test
  @Tag("embedded") // where record ids count from one
  void recordIdsAreShown() {
    assertThat(found("filter: {_id: 2}, projection: {_id: 1, r: {$meta: 'recordId'}}"))
        .isEqualTo(BsonArray.parse("[{_id: 2, r: {$numberLong: '2'}}]"));
  }

  @Test
  void indexKeysAreShown() {
    String indexKey = "projection: {_id: 1, k: {$meta: 'indexKey'}}";
    assertThat(found("hint: 'ab', filter: {a: 2}, " + indexKey))
        .isEqualTo(BsonArray.parse("[{_id: 1, k: {a: 2, b: 'x'}}]"));
    assertThat(found("filter: {b: 'x'}, " + indexKey)).isEqualTo(BsonArray.parse("[{_id: 1}]"));
  }
}
