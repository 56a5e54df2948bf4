package dev.orrery.server.command.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.server.command.DataFixture;
import dev.orrery.value.NestingException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Input at the limits, and past them, ends in an answer. The time limits are no measurements: they
 * only tell an answer from none.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class HostileInputTest {
  private static final int MANY = 100_000;

  private DataFixture data;

  @BeforeEach
  void open(@TempDir Path directory) {
    data = new DataFixture(directory);
  }

  @AfterEach
  void close() {
    data.close();
  }

  private BsonDocument run(BsonDocument command) {
    return data.commands.run(command.append("$db", new BsonString("test")).toJson());
  }

  private BsonDocument insert(BsonDocument document) {
    return run(
        new BsonDocument("insert", new BsonString("c"))
            .append("documents", new BsonArray(List.of(document))));
  }

  private BsonDocument find(BsonDocument filter) {
    return run(new BsonDocument("find", new BsonString("c")).append("filter", filter));
  }

  private int found(BsonDocument filter) {
    return find(filter).getDocument("cursor").getArray("firstBatch").size();
  }

  private static BsonArray numbers(int count) {
    return new BsonArray(IntStream.range(0, count).mapToObj(BsonInt32::new).toList());
  }

  private static BsonDocument nested(int depth) {
    BsonDocument document = new BsonDocument("a", new BsonInt32(1));
    for (int i = 1; i < depth; i++) {
      document = new BsonDocument("a", document);
    }
    return document;
  }

  @Test
  void aDocumentOfSixteenMegabytesIsKeptAndALargerOneRefused() {
    var text = new BsonString("x".repeat((16 << 20) - 100));
    assertThat(insert(new BsonDocument("_id", new BsonInt32(1)).append("s", text)))
        .containsEntry("n", new BsonInt32(1));
    var longer = new BsonString("x".repeat(16 << 20));
    BsonDocument refused = insert(new BsonDocument("_id", new BsonInt32(2)).append("s", longer));
    assertThat(refused.toJson()).contains("object to insert too large");
    assertThat(found(new BsonDocument())).isEqualTo(1);
    BsonDocument grown =
        data.run(
            "{update: 'c', updates: [{q: {_id: 1}, u: {$set: {t: '" + "y".repeat(200) + "'}}}]}");
    assertThat(grown.getArray("writeErrors")).hasSize(1);
    assertThat(found(new BsonDocument("t", new BsonDocument("$exists", new BsonInt32(1)))))
        .isZero();
  }

  @Test
  void anArrayOfManyElementsIsIndexedAndFound() {
    data.create("c", "{}", null, "{v: 2, key: {a: 1}, name: 'a_1'}");
    insert(new BsonDocument("_id", new BsonInt32(1)).append("a", numbers(MANY)));
    assertThat(found(new BsonDocument("a", new BsonInt32(MANY - 1)))).isEqualTo(1);
    assertThat(found(new BsonDocument("a", new BsonInt32(MANY)))).isZero();
    assertThat(found(new BsonDocument("a", new BsonDocument("$all", numbers(1000))))).isEqualTo(1);
    assertThat(data.run("{count: 'c', query: {a: {$gte: 0}}}").get("n"))
        .isEqualTo(new BsonInt32(1));
    data.run("{delete: 'c', deletes: [{q: {a: 5}, limit: 1}]}");
    assertThat(found(new BsonDocument())).isZero();
  }

  @Test
  void aListOfManyValuesIsSearched() {
    data.create("c", "{}", null, "{v: 2, key: {a: 1}, name: 'a_1'}");
    data.run("{insert: 'c', documents: [{_id: 1, a: 77}, {_id: 2, a: -1}, {_id: 3, b: 77}]}");
    var in = new BsonDocument("$in", numbers(MANY));
    assertThat(found(new BsonDocument("a", in))).isEqualTo(1);
    assertThat(found(new BsonDocument("b", in))).isEqualTo(1);
    assertThat(found(new BsonDocument("a", new BsonDocument("$nin", numbers(MANY))))).isEqualTo(2);
  }

  @Test
  void aDisjunctionOfManyClausesIsSearched() {
    data.create("c", "{}", null, "{v: 2, key: {a: 1}, name: 'a_1'}");
    data.run("{insert: 'c', documents: [{_id: 1, a: 77}, {_id: 2, a: -1}]}");
    var clauses = new BsonArray();
    for (int i = 0; i < 5_000; i++) {
      BsonValue value = new BsonInt32(i);
      clauses.add(new BsonDocument("$and", new BsonArray(List.of(new BsonDocument("a", value)))));
    }
    assertThat(found(new BsonDocument("$or", clauses))).isEqualTo(1);
  }

  @Test
  void deepFiltersAreSearchedAndDeepDocumentsRefused() {
    BsonDocument filter = new BsonDocument("a", new BsonInt32(1));
    for (int i = 0; i < 90; i++) {
      filter = new BsonDocument("$and", new BsonArray(List.of(filter)));
    }
    data.run("{insert: 'c', documents: [{_id: 1, a: 1}]}");
    assertThat(found(filter)).isEqualTo(1);
    assertThat(insert(nested(150)).containsKey("n")).isTrue();
    assertThatThrownBy(() -> insert(nested(400))).isInstanceOf(NestingException.class);
    BsonDocument tooDeep = insert(nested(190)); // deeper ones are not even encoded
    assertThat(tooDeep.getDouble("ok").getValue() == 0 || tooDeep.containsKey("writeErrors"))
        .isTrue();
    assertThat(found(new BsonDocument())).isEqualTo(2);
  }

  @Test
  void thousandsOfFieldsAreKeptInOrder() {
    var document = new BsonDocument("_id", new BsonInt32(1));
    for (int i = 0; i < 20_000; i++) {
      document.append("f" + i, new BsonInt32(i));
    }
    insert(document);
    assertThat(
            find(new BsonDocument("f19999", new BsonInt32(19_999)))
                .getDocument("cursor")
                .getArray("firstBatch"))
        .containsExactly(document);
    BsonDocument projected = data.run("{find: 'c', projection: {f5: 1, f19998: 1, _id: 0}}");
    assertThat(projected.getDocument("cursor").getArray("firstBatch").get(0))
        .isEqualTo(BsonDocument.parse("{f5: 5, f19998: 19998}"));
  }

  @Test
  void aRegexThatBacktracksForEverEnds() {
    String text = "a".repeat(5_000) + "!";
    data.run("{insert: 'c', documents: [{_id: 1, s: '" + text + "'}, {_id: 2, s: 'ab'}]}");
    for (String pattern :
        List.of("(a+)+$", "(a|a)*b$", "(a|aa)+$", "(.*a){25}b", "^(([a-z])+.)+x$")) {
      BsonDocument reply = data.run("{find: 'c', filter: {s: {$regex: '" + pattern + "'}}}");
      boolean isRefused = reply.getDouble("ok").getValue() == 0;
      assertThat(isRefused || reply.getDocument("cursor").getArray("firstBatch").size() < 2)
          .isTrue();
    }
  }
}
