package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Messages show a part of what a client sent, however long that was; planning ends in time. */
class LongMessagesTest {
  private static final int MESSAGE_MAX = 64 << 10;
  private static final long LATE_MILLIS_MAX = 6000;

  private static TestServer server;

  @BeforeAll
  static void start() throws IOException {
    server = TestServer.start();
    run(BsonDocument.parse("{insert: 'c', documents: [{_id: 1, a: 1}]}"));
    run(BsonDocument.parse("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a'}]}"));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static BsonDocument run(BsonDocument command) throws IOException {
    try (var connection = new RawConnection(server.port(), "127.0.0.1")) {
      connection.send(command);
      return connection.receive();
    }
  }

  private static BsonDocument clauses(int count) {
    var clauses = new BsonArray();
    for (int i = 0; i < count; i++) {
      clauses.add(
          new BsonDocument("a", new BsonInt32(-i))
              .append("_id", new BsonDocument("$gt", new BsonInt32(i))));
    }
    return new BsonDocument("$or", clauses);
  }

  private static BsonDocument find(BsonDocument filter) {
    return new BsonDocument("find", new BsonString("c")).append("filter", filter);
  }

  @Test
  void aLargeQueryEndsInTimeAndIsNotRepeated() throws IOException {
    var numbers = new BsonArray();
    for (int i = 0; i < 500_000; i++) {
      numbers.add(new BsonInt32(-i));
    }
    var in = new BsonDocument("_id", new BsonDocument("$in", numbers));
    var all = new BsonDocument("a", new BsonDocument("$all", numbers));
    for (BsonDocument filter : List.of(clauses(100_000), in, all)) {
      BsonDocument command = find(filter).append("maxTimeMS", new BsonInt32(1));
      long start = System.nanoTime();
      BsonDocument reply = run(command);
      assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start))
          .isLessThan(LATE_MILLIS_MAX);
      assertThat(reply.getNumber("code").intValue()).isEqualTo(50);
      assertThat(reply.getString("errmsg").getValue()).endsWith("operation exceeded time limit");
      assertThat(reply.getString("errmsg").getValue()).hasSizeLessThan(200);
    }
  }

  @Test
  void aRefusalShowsTheBeginningOfALargeQuery() throws IOException {
    BsonDocument command =
        find(clauses(20_000)).append("hint", new BsonDocument("nothing", new BsonInt32(1)));
    String message = run(command).getString("errmsg").getValue();
    assertThat(message)
        .startsWith("error processing query: ns=test.cTree: $or")
        .contains("planner returned error")
        .hasSizeLessThan(MESSAGE_MAX);
  }

  @Test
  void everythingThatAMessageRepeatsIsCut() throws IOException {
    String text = "x".repeat(5 << 20);
    var large = new BsonDocument();
    for (int i = 0; i < 200_000; i++) {
      large.append("k" + i, new BsonString("v"));
    }
    var named = new BsonDocument(text, new BsonInt32(1));
    var commands =
        List.of(
            new BsonDocument(text, new BsonInt32(1)),
            BsonDocument.parse("{find: 'c'}").append("sort", new BsonDocument("a", large)),
            BsonDocument.parse("{find: 'c'}").append(text, new BsonInt32(1)),
            find(new BsonDocument("a", new BsonDocument("$" + text, new BsonInt32(1)))),
            find(new BsonDocument("$" + text, new BsonInt32(1))),
            BsonDocument.parse("{find: 'c'}").append("collation", large),
            BsonDocument.parse("{find: 'c'}")
                .append("projection", new BsonDocument("a", new BsonDocument("$b", large))),
            BsonDocument.parse("{aggregate: 'c', cursor: {}}")
                .append("pipeline", new BsonArray(List.of(new BsonDocument("$" + text, large)))),
            BsonDocument.parse("{aggregate: 'c', cursor: {}}")
                .append(
                    "pipeline",
                    new BsonArray(
                        List.of(
                            new BsonDocument(
                                "$project",
                                new BsonDocument("r", new BsonDocument("$size", large)))))),
            BsonDocument.parse("{update: 'c'}")
                .append(
                    "updates",
                    new BsonArray(
                        List.of(
                            new BsonDocument("q", new BsonDocument())
                                .append(
                                    "u",
                                    new BsonDocument("$inc", named.clone().append("a", large)))))),
            BsonDocument.parse("{createIndexes: 'c'}")
                .append("indexes", new BsonArray(List.of(large.clone().append("key", large)))),
            BsonDocument.parse("{create: 'd'}").append("idIndex", large));
    for (BsonDocument command : commands) {
      BsonDocument reply = run(command);
      String shown = command.getFirstKey();
      assertThat(reply.toString().length())
          .as(shown.substring(0, Math.min(40, shown.length())) + reply.get("code"))
          .isLessThan(2 * MESSAGE_MAX);
      assertThat(reply.containsKey("code") || reply.containsKey("writeErrors")).isTrue();
    }
  }
}
