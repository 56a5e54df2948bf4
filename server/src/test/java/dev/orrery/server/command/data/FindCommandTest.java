package dev.orrery.server.command.data;

import static dev.orrery.server.command.CommandFixture.canonical;
import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.DataFixture;
import java.nio.file.Path;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FindCommandTest {
  private static final String SESSION =
      ", lsid: {id: UUID('00112233-4455-6677-8899-aabbccddeeff')}";

  private DataFixture data;

  @BeforeEach
  void open(@TempDir Path directory) {
    data = new DataFixture(directory);
    data.run("{insert: 'c', documents: [{_id: 1}, {_id: 2}, {_id: 3}, {_id: 4}, {_id: 5}]}");
  }

  @AfterEach
  void close() {
    data.close();
    assertThat(data.cursors.count()).isZero();
  }

  private static long idOf(BsonDocument reply) {
    return reply.getDocument("cursor").getInt64("id").getValue();
  }

  private static List<Integer> idsOf(BsonDocument reply) {
    BsonDocument cursor = reply.getDocument("cursor");
    String name = cursor.containsKey("firstBatch") ? "firstBatch" : "nextBatch";
    return cursor.getArray(name).stream()
        .map(document -> document.asDocument().getInt32("_id").getValue())
        .toList();
  }

  private String more(long id, String rest) {
    return "{getMore: {$numberLong: '" + id + "'}, collection: 'c'" + rest + "}";
  }

  @Test
  void batchesComeOneAfterTheOther() {
    BsonDocument first = data.run("{find: 'c', batchSize: 2}");
    assertThat(idsOf(first)).containsExactly(1, 2);
    long id = idOf(first);
    BsonDocument second = data.run(more(id, ", batchSize: 2"));
    assertThat(idsOf(second)).containsExactly(3, 4);
    assertThat(idOf(second)).isEqualTo(id);
    BsonDocument third = data.run(more(id, ""));
    assertThat(idsOf(third)).containsExactly(5);
    assertThat(idOf(third)).isZero();
    assertThat(data.error(more(id, "")))
        .isEqualTo("43 CursorNotFound: cursor id " + id + " not found");
  }

  @Test
  void aLimitClosesTheCursorWithItsLastBatch() {
    assertThat(idOf(data.run("{find: 'c', batchSize: 2, limit: 2}"))).isZero();
    assertThat(idOf(data.run("{find: 'c', batchSize: 5, sort: {_id: -1}}"))).isZero();
    assertThat(idOf(data.run("{find: 'c', batchSize: 2, singleBatch: true}"))).isZero();
  }

  @Test
  void anEmptyFirstBatchOpensACursor() {
    BsonDocument first = data.run("{find: 'c', batchSize: 0}");
    assertThat(idsOf(first)).isEmpty();
    assertThat(idsOf(data.run(more(idOf(first), "")))).containsExactly(1, 2, 3, 4, 5);
  }

  @Test
  void aMissingCollectionGivesNothingButStillChecksTheFilter() {
    assertThat(data.answer("{find: 'nothing'}"))
        .isEqualTo(
            canonical(
                "{cursor: {firstBatch: [], id: {$numberLong: '0'}, ns: 'test.nothing'}, ok: 1.0}"));
    assertThat(data.error("{find: 'nothing', filter: {a: {$foo: 1}}}"))
        .isEqualTo("2 BadValue: unknown operator: $foo");
  }

  @Test
  void killedCursorsAreGone() {
    long id = idOf(data.run("{find: 'c', batchSize: 1}"));
    assertThat(
            data.answer(
                "{killCursors: 'c', cursors: [{$numberLong: '" + id + "'}, {$numberLong: '7'}]}"))
        .isEqualTo(
            canonical(
                "{cursorsKilled: [{$numberLong: '%d'}], cursorsNotFound: [{$numberLong: '7'}],"
                        .formatted(id)
                    + " cursorsAlive: [], cursorsUnknown: [], ok: 1.0}"));
    assertThat(data.error(more(id, ""))).startsWith("43 ");
  }

  @Test
  void cursorsBelongToTheirNamespaceAndSession() {
    long id = idOf(data.run("{find: 'c', batchSize: 1" + SESSION + "}"));
    assertThat(data.error("{getMore: {$numberLong: '" + id + "'}, collection: 'd'" + SESSION + "}"))
        .isEqualTo(
            "13 Unauthorized: Requested getMore on namespace 'test.d', but cursor belongs to a"
                + " different namespace test.c");
    assertThat(data.error(more(id, "")))
        .isEqualTo(
            "50737 Location50737: Cannot run getMore on cursor %d, which was created in session"
                    .formatted(id)
                + " 00112233-4455-6677-8899-aabbccddeeff -"
                + " 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU= -  - , without an lsid");
    assertThat(idsOf(data.run(more(id, SESSION)))).containsExactly(2, 3, 4, 5);
  }

  @Test
  void cursorsTimeOutUnlessTheyMustNot() {
    long idle = idOf(data.run("{find: 'c', batchSize: 1}"));
    long kept = idOf(data.run("{find: 'c', batchSize: 1, noCursorTimeout: true}"));
    data.commands.nanos.addAndGet(601_000_000_000L);
    data.cursors.expire();
    assertThat(data.error(more(idle, ""))).startsWith("43 ");
    assertThat(idsOf(data.run(more(kept, "")))).hasSize(4);
  }

  @Test
  void errorsOfDocumentsSayWhichCommandMetThem() {
    assertThat(data.error("{find: 'c', projection: {x: {$divide: [1, {$subtract: ['$_id', 1]}]}}}"))
        .isEqualTo(
            "2 BadValue: Executor error during find command :: caused by ::"
                + " can't $divide by zero");
  }

  @Test
  void tailableCursorsNeedACappedCollectionAndStayOpen() {
    assertThat(data.error("{find: 'c', tailable: true}"))
        .contains("tailable cursor requested on non capped collection");
    data.create("log", "{capped: true, size: {$numberLong: '100000'}}", null);
    assertThat(idOf(data.run("{find: 'log', tailable: true}"))).isZero();
    data.run("{insert: 'log', documents: [{_id: 1}]}");
    long id = idOf(data.run("{find: 'log', tailable: true}"));
    String next = "{getMore: {$numberLong: '" + id + "'}, collection: 'log'}";
    assertThat(idsOf(data.run(next))).isEmpty();
    data.run("{insert: 'log', documents: [{_id: 2}]}");
    assertThat(idsOf(data.run(next))).containsExactly(2);
    data.run("{killCursors: 'log', cursors: [{$numberLong: '" + id + "'}]}");
  }

  @Test
  void explainTellsThePlanAndWritesNothing() {
    BsonDocument find =
        data.run("{explain: {find: 'c', filter: {a: 1}}, verbosity: 'queryPlanner'}");
    assertThat(find.keySet())
        .containsExactly(
            "explainVersion", "queryPlanner", "command", "serverInfo", "serverParameters", "ok");
    BsonDocument delete = data.run("{explain: {delete: 'c', deletes: [{q: {}, limit: 0}]}}");
    BsonDocument stages = delete.getDocument("executionStats").getDocument("executionStages");
    assertThat(stages.getString("stage").getValue()).isEqualTo("DELETE");
    assertThat(stages.getInt32("nWouldDelete").getValue()).isEqualTo(5);
    assertThat(data.run("{count: 'c'}").getInt32("n").getValue()).isEqualTo(5);
    assertThat(data.error("{explain: {foo: 1}}"))
        .isEqualTo("59 CommandNotFound: Explain failed due to unknown command: foo");
  }

  @Test
  void countsWithSkipAndLimit() {
    assertThat(data.answer("{count: 'c', query: {_id: {$gt: 1}}, skip: 1, limit: -2}"))
        .isEqualTo(canonical("{n: 2, ok: 1.0}"));
  }

  @Test
  void distinctValuesAreEqualByTheCollation() {
    data.run("{insert: 'd', documents: [{a: ['x', 'X', 1]}, {a: 1.0}, {a: []}, {b: 1}]}");
    assertThat(data.answer("{distinct: 'd', key: 'a', collation: {locale: 'en', strength: 2}}"))
        .isEqualTo(canonical("{values: [1, 'x'], ok: 1.0}"));
  }
}
