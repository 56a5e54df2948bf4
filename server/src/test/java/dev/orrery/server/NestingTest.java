package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is nested too deeply gets an error, on a connection that goes on. */
class NestingTest {
  /** Levels of a whole message. */
  private static final int LEVELS_MAX = 201;

  private static final byte DOCUMENT = 3;
  private static final byte ARRAY = 4;

  private static TestServer server;
  private static RawConnection connection;

  @BeforeAll
  static void start() throws IOException {
    server = TestServer.start();
    connection = new RawConnection(server.port(), "127.0.0.1");
    connection.ask(BsonDocument.parse("{insert: 'c', documents: [{_id: 1, a: [[1], 2]}]}"));
  }

  @AfterAll
  static void stop() throws IOException {
    connection.close();
    server.close();
  }

  /** Bytes of a document with one field, which the library would count as well. */
  private static byte[] wrap(byte type, String name, byte[] value) {
    byte[] key = name.getBytes(StandardCharsets.UTF_8);
    int length = 4 + 1 + key.length + 1 + value.length + 1;
    return ByteBuffer.allocate(length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(length)
        .put(type)
        .put(key)
        .put((byte) 0)
        .put(value)
        .put((byte) 0)
        .array();
  }

  private static byte[] bytes(String json) {
    return dev.orrery.value.RawDocument.of(BsonDocument.parse(json)).toByteArray();
  }

  private static UnaryOperator<byte[]> field(String... names) {
    return inner -> {
      byte[] value = inner;
      for (int i = names.length - 1; i >= 0; i--) {
        value = wrap(DOCUMENT, names[i], value);
      }
      return value;
    };
  }

  /** {@code {name: [inner]}}. */
  private static UnaryOperator<byte[]> list(String name) {
    return inner -> wrap(ARRAY, name, wrap(DOCUMENT, "0", inner));
  }

  /**
   * Something that may stand in itself.
   *
   * @param levels that each round adds
   * @param around what the message has around it, as a command with the text {@code 'HERE'}
   * @param aroundLevels how many levels that is
   */
  private record Nest(
      String name,
      UnaryOperator<byte[]> round,
      int levels,
      String leaf,
      String around,
      int aroundLevels) {
    int roundsMax() {
      int leafLevels = leaf.length() - leaf.replace("{", "").replace("[", "").length();
      return (LEVELS_MAX - aroundLevels - leafLevels) / levels;
    }

    BsonDocument command(int rounds) {
      byte[] inner = bytes(leaf);
      for (int i = 0; i < rounds; i++) {
        inner = round.apply(inner);
      }
      return (BsonDocument) put(BsonDocument.parse(around), new RawBsonDocument(inner));
    }

    private static BsonValue put(BsonValue into, BsonDocument value) {
      if (into.equals(new BsonString("HERE"))) {
        return value;
      }
      if (into instanceof BsonDocument document) {
        document.replaceAll((name, each) -> put(each, value));
      } else if (into instanceof BsonArray array) {
        array.replaceAll(each -> put(each, value));
      }
      return into;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private static Nest filter(String name, UnaryOperator<byte[]> round, int levels, String leaf) {
    return new Nest(name, round, levels, leaf, "{find: 'c', filter: 'HERE'}", 1);
  }

  private static Nest condition(String name, UnaryOperator<byte[]> round, int levels, String leaf) {
    return new Nest(name, round, levels, leaf, "{find: 'c', filter: {a: 'HERE'}}", 2);
  }

  private static Nest expression(String name, UnaryOperator<byte[]> round, int levels) {
    return new Nest(
        name,
        round,
        levels,
        "{$literal: 1}",
        "{aggregate: 'c', cursor: {}, pipeline: [{$match: {$expr: 'HERE'}}]}",
        4);
  }

  static Stream<Nest> nests() {
    return Stream.of(filters(), expressions(), commands(), writes()).flatMap(each -> each);
  }

  private static Stream<Nest> filters() {
    return Stream.of(
        filter("$and", list("$and"), 2, "{a: 1}"),
        filter("$or", list("$or"), 2, "{a: 1}"),
        filter("$nor", list("$nor"), 2, "{a: 1}"),
        filter("a document", field("a"), 1, "{a: 1}"),
        filter("$elemMatch on fields", field("a", "$elemMatch"), 2, "{a: 1}"),
        filter(
            "$jsonSchema with properties",
            inner -> wrap(DOCUMENT, "properties", wrap(DOCUMENT, "a", inner)),
            2,
            "{}"),
        condition("$not", field("$not"), 1, "{$gt: 1}"),
        condition("$elemMatch", field("$elemMatch"), 1, "{$gt: 1}"),
        condition(
            "$all with $elemMatch",
            inner -> list("$all").apply(field("$elemMatch").apply(inner)),
            3,
            "{$gt: 1}"),
        new Nest(
            "$jsonSchema",
            field("properties", "a"),
            2,
            "{}",
            "{find: 'c', filter: {$jsonSchema: 'HERE'}}",
            2),
        new Nest(
            "not in $jsonSchema",
            field("not"),
            1,
            "{}",
            "{find: 'c', filter: {$jsonSchema: 'HERE'}}",
            2));
  }

  private static Stream<Nest> expressions() {
    return Stream.of(
        expression("$abs", field("$abs"), 1),
        expression("$add", list("$add"), 2),
        expression("$and of expressions", list("$and"), 2),
        expression("an object", field("a"), 1),
        expression("$map", inner -> wrap(DOCUMENT, "$ifNull", list("0").apply(inner)), 3),
        expression(
            "$switch", inner -> wrap(DOCUMENT, "$switch", wrap(DOCUMENT, "default", inner)), 2),
        expression(
            "$dateToString",
            inner ->
                wrap(
                    DOCUMENT,
                    "$dateToString",
                    dev.orrery.value.RawDocument.of(
                            new BsonDocument("date", new RawBsonDocument(inner))
                                .append("onNull", new org.bson.BsonInt32(1)))
                        .toByteArray()),
            2));
  }

  private static Stream<Nest> commands() {
    return Stream.of(
        new Nest(
            "$replaceRoot",
            field("a"),
            1,
            "{a: 1}",
            "{aggregate: 'c', cursor: {}, pipeline: [{$replaceRoot: {newRoot: 'HERE'}}]}",
            4),
        new Nest(
            "$project",
            field("a"),
            1,
            "{a: 1}",
            "{aggregate: 'c', cursor: {}, pipeline: [{$project: 'HERE'}]}",
            3),
        new Nest(
            "$addFields",
            field("a"),
            1,
            "{a: 1}",
            "{aggregate: 'c', cursor: {}, pipeline: [{$addFields: 'HERE'}]}",
            3),
        new Nest(
            "$group",
            field("a"),
            1,
            "{a: 1}",
            "{aggregate: 'c', cursor: {}, pipeline: [{$group: {_id: 'HERE'}}]}",
            4),
        new Nest("a projection", field("a"), 1, "{a: 1}", "{find: 'c', projection: 'HERE'}", 1));
  }

  private static Stream<Nest> writes() {
    return Stream.of(
        new Nest("an insert", field("a"), 1, "{a: 1}", "{insert: 'deep', documents: ['HERE']}", 2),
        new Nest(
            "a replacement",
            field("a"),
            1,
            "{a: 1}",
            "{update: 'c', updates: [{q: {_id: 1}, u: 'HERE'}]}",
            3),
        new Nest(
            "$set",
            field("a"),
            1,
            "{a: 1}",
            "{update: 'c', updates: [{q: {_id: 1}, u: {$set: {b: 'HERE'}}}]}",
            5),
        new Nest(
            "$pull",
            field("a"),
            1,
            "{a: 1}",
            "{update: 'c', updates: [{q: {_id: 1}, u: {$pull: {a: 'HERE'}}}]}",
            5),
        new Nest(
            "a validator", list("$and"), 2, "{a: 1}", "{create: 'checked', validator: 'HERE'}", 1),
        new Nest(
            "a partial index",
            list("$and"),
            2,
            "{a: 1}",
            "{createIndexes: 'c', indexes: [{key: {z: 1}, name: 'z', partialFilterExpression:"
                + " 'HERE'}]}",
            3),
        new Nest(
            "$facet",
            field("$facet"),
            1,
            "{a: 1}",
            "{aggregate: 'c', cursor: {}, pipeline: ['HERE']}",
            2),
        new Nest("count", list("$or"), 2, "{a: 1}", "{count: 'c', query: 'HERE'}", 1),
        new Nest("explain", list("$or"), 2, "{a: 1}", "{explain: {find: 'c', filter: 'HERE'}}", 2));
  }

  private static int code(BsonDocument reply) {
    if (reply.containsKey("writeErrors")) {
      return reply.getArray("writeErrors").get(0).asDocument().getInt32("code").getValue();
    }
    return reply.containsKey("code") ? reply.getInt32("code").getValue() : 0;
  }

  private static void requirePing() throws IOException {
    assertThat(connection.ask(BsonDocument.parse("{ping: 1}")).getDouble("ok").getValue())
        .isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("nests")
  void theDeepestThatCanBeReadIsAnswered(Nest nest) throws IOException {
    for (int rounds : new int[] {nest.roundsMax(), nest.roundsMax() / 2}) {
      BsonDocument reply = connection.ask(nest.command(rounds));
      assertThat(reply.toJson().substring(0, Math.min(300, reply.toJson().length())))
          .doesNotContain("InternalError");
      requirePing();
    }
  }

  @ParameterizedTest
  @MethodSource("nests")
  void whatIsDeeperIsAnOverflow(Nest nest) throws IOException {
    for (int rounds : List.of(nest.roundsMax() + 1, 3 * nest.roundsMax(), 1_000)) {
      BsonDocument reply = connection.ask(nest.command(rounds));
      assertThat(code(reply)).isEqualTo(15);
      String[] words = reply.getString("errmsg").getValue().split("'");
      assertThat(words[0])
          .isEqualTo("BSONObj exceeds maximum nested object depth in element with field name ");
      assertThat(words[1].split("\\.")).hasSize(LEVELS_MAX);
      assertThat(words[2]).isEqualTo(" in object with unknown _id");
      requirePing();
    }
  }

  @Test
  void pipelinesStandInTwentyOthersAtTheMost() throws IOException {
    for (int depth : new int[] {20, 21}) {
      byte[] stage = bytes("{$match: {a: 1}}");
      for (int i = 0; i < depth; i++) {
        stage =
            wrap(
                DOCUMENT,
                "$lookup",
                dev.orrery.value.RawDocument.of(
                        BsonDocument.parse("{from: 'c', as: 'x'}")
                            .append("pipeline", new BsonArray(List.of(new RawBsonDocument(stage)))))
                    .toByteArray());
      }
      var command =
          BsonDocument.parse("{aggregate: 'c', cursor: {}}")
              .append("pipeline", new BsonArray(List.of(new RawBsonDocument(stage))));
      assertThat(code(connection.ask(command))).isEqualTo(depth == 20 ? 0 : 232);
      requirePing();
    }
  }

  @Test
  void whatExpressionsNestTooDeeplyIsAnOverflow() throws IOException {
    String nested = "{$reduce: {input: {$range: [0, %d]}, initialValue: 1, in: {a: '$$value'}}}";
    String command = "{aggregate: 'c', cursor: {}, pipeline: [{$project: {x: %s}}]}";
    assertThat(code(ask(command, nested.formatted(190)))).isZero();
    for (int levels : new int[] {201, 1000, 100_000}) {
      BsonDocument reply = ask(command, nested.formatted(levels));
      assertThat(code(reply)).isEqualTo(15);
      assertThat(
              code(
                  ask(
                      command,
                      "{$eq: ["
                          + nested.formatted(levels)
                          + ", "
                          + nested.formatted(levels)
                          + "]}")))
          .isIn(0, 15);
      requirePing();
    }
    assertThat(
            code(
                ask(
                    "{update: 'c', updates: [{q: {_id: 1}, u: [{$set: {x: %s}}]}]}",
                    nested.formatted(1000))))
        .isEqualTo(15);
    assertThat(
            code(
                ask(
                    "{aggregate: 'c', cursor: {}, pipeline: [{$group: {_id: %s}}]}",
                    nested.formatted(100_000))))
        .isEqualTo(15);
    requirePing();
  }

  private static BsonDocument ask(String command, String part) throws IOException {
    return connection.ask(BsonDocument.parse(command.formatted(part)));
  }
}
