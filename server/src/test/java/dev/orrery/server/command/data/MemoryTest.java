package dev.orrery.server.command.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.limit.MemoryBudget;
import dev.orrery.server.command.DataFixture;
import dev.orrery.server.command.ReplyTarget;
import dev.orrery.server.command.Request;
import dev.orrery.value.RawDocument;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands under a budget that is much smaller than what they sort, group and keep. */
@Tag("embedded") // reads far too much where each page is a question, and looks for files
class MemoryTest {
  private static final int DOCUMENTS = 2_000;
  private static final int BUDGET = 3 << 20;

  /** What needs memory, as the fields of a find or an aggregate on c before its batch size. */
  private static final List<String> QUERIES =
      List.of(
          "find: 'c', sort: {r: 1}",
          "find: 'c', sort: {g: -1, r: 1}, limit: 1500",
          "aggregate: 'c', pipeline: [{$set: {x: 1}}, {$sort: {r: 1, _id: 1}}]",
          "aggregate: 'c', pipeline: [{$set: {x: 1}}, {$sort: {r: 1}}, {$limit: 1200}]",
          "aggregate: 'c', pipeline: [{$group: {_id: '$_id', t: {$first: '$t'}}}, {$sort: {_id:"
              + " 1}}]",
          "aggregate: 'c', pipeline: [{$sort: {_id: 1}}, {$group: {_id: '$g', t: {$push: '$t'}}},"
              + " {$sort: {_id: 1}}]",
          "aggregate: 'c', pipeline: [{$setWindowFields: {partitionBy: '$g', sortBy: {r: 1},"
              + " output: {n: {$documentNumber: {}}}}}]",
          "aggregate: 'c', pipeline: [{$match: {_id: {$lt: 50}}}, {$lookup: {from: 'c', localField:"
              + " 'g', foreignField: 'g', as: 'l'}}, {$project: {n: {$size: '$l'}}}]",
          "aggregate: 'c', pipeline: [{$match: {_id: {$lt: 60}}}, {$lookup: {from: 'c', localField: 'r', foreignField: 'r', as:"
              + " 'l'}}, {$unwind: '$l'}, {$project: {i: '$l._id'}}, {$sort: {_id: 1, i: 1}}]",
          "aggregate: 'c', pipeline: [{$bucketAuto: {groupBy: '$r', buckets: 40, output: {t:"
              + " {$push: '$t'}}}}]",
          "aggregate: 'c', pipeline: [{$facet: {a: [{$count: 'n'}], b: [{$sort: {r: 1}}, {$limit:"
              + " 3}]}}]");

  @TempDir private Path directory;
  private DataFixture small;
  private DataFixture large;

  @BeforeEach
  void open() {
    small = new DataFixture(directory.resolve("small"), new MemoryBudget(BUDGET));
    large = new DataFixture(directory.resolve("large"), MemoryBudget.unlimited());
    for (DataFixture server : List.of(small, large)) {
      fill(server);
    }
  }

  private static void fill(DataFixture server) {
    var random = new Random(1);
    for (int from = 0; from < DOCUMENTS; from += 500) {
      var documents = new ArrayList<String>();
      for (int id = from; id < from + 500; id++) {
        documents.add(
            "{_id: %d, r: %d, g: %d, t: '%s'}"
                .formatted(id, random.nextInt(10_000), id % 20, "t".repeat(3_000 + id % 10)));
      }
      server.run("{insert: 'c', documents: [" + String.join(",", documents) + "]}");
    }
  }

  @AfterEach
  void close() throws IOException {
    small.close(); // and with it looks whether everything was given back
    large.close();
    try (var files = Files.list(directory.resolve("small"))) {
      assertThat(files.map(file -> file.getFileName().toString())).containsExactly("data");
    }
  }

  private static List<BsonValue> all(DataFixture server, String query, int batch) {
    String size = "batchSize: " + batch;
    BsonDocument cursor =
        cursor(
            server.run(
                "{%s, %s}"
                    .formatted(query, query.startsWith("find") ? size : "cursor: {" + size + "}")));
    var found = new ArrayList<BsonValue>(cursor.getArray("firstBatch"));
    found.addAll(rest(server, cursor.getInt64("id").getValue(), batch));
    return found;
  }

  private static List<BsonValue> rest(DataFixture server, long cursorId, int batch) {
    var found = new ArrayList<BsonValue>();
    for (long id = cursorId; id != 0; ) {
      String more = "{getMore: {$numberLong: '%d'}, collection: 'c', batchSize: %d}";
      BsonDocument cursor = cursor(server.run(more.formatted(id, batch)));
      found.addAll(cursor.getArray("nextBatch"));
      id = cursor.getInt64("id").getValue();
    }
    return found;
  }

  private static BsonDocument cursor(BsonDocument reply) {
    assertThat(reply.containsKey("cursor")).as(reply.toString()).isTrue();
    return reply.getDocument("cursor");
  }

  @Test
  void littleMemoryGivesTheSameAnswers() {
    for (String query : QUERIES) {
      assertThat(all(small, query, 300)).as(query).isEqualTo(all(large, query, 100_000));
      assertThat(small.commands.operations.memory().usedBytes()).as(query).isZero();
    }
    assertThat(small.commands.operations.memory().refusals()).isPositive();
    assertThat(small.commands.operations.memory().mostBytes()).isLessThan(BUDGET + (3 << 20));
  }

  @Test
  void idleCursorsGoToDiskAndComeBack() {
    var ids = new ArrayList<Long>();
    for (int i = 0; i < 40; i++) {
      String query = QUERIES.get(i % 5);
      String size = query.startsWith("find") ? ", batchSize: 2" : ", cursor: {batchSize: 2}";
      ids.add(cursor(small.run("{" + query + size + "}")).getInt64("id").getValue());
    }
    var expectations = new ArrayList<List<BsonValue>>();
    QUERIES.subList(0, 5).forEach(query -> expectations.add(all(large, query, 100_000)));
    MemoryBudget memory = small.commands.operations.memory();
    assertThat(memory.restingBytes()).isLessThan(BUDGET / 4 + 40 * (70 << 10));
    for (int i = 0; i < ids.size(); i++) {
      List<BsonValue> expected = expectations.get(i % 5);
      assertThat(rest(small, ids.get(i), 5_000)).isEqualTo(expected.subList(2, expected.size()));
    }
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void oneBatchIsWholeHoweverLittleMemoryThereIs() {
    String find = "{find: 'c', sort: {r: 1}, limit: 1900, batchSize: 1900, singleBatch: true}";
    assertThat(cursor(small.run(find)).getArray("firstBatch")).hasSize(1_900);
  }

  @Test
  void whoMayNotUseTheDiskGetsMongosError() {
    assertThat(small.error("{find: 'c', sort: {r: 1}, allowDiskUse: false}"))
        .startsWith("292 QueryExceededMemoryLimitNoDiskUseAllowed: ")
        .contains("Sort exceeded memory limit of ");
    assertThat(
            small.error(
                "{aggregate: 'c', pipeline: [{$group: {_id: '$_id', t: {$push: '$t'}}}], cursor:"
                    + " {}, allowDiskUse: false}"))
        .startsWith("292 QueryExceededMemoryLimitNoDiskUseAllowed: ");
    assertThat(
            small.error(
                "{aggregate: 'c', pipeline: [{$group: {_id: null, t: {$push: '$t'}}}, {$project: {n: {$size: '$t'}}}], cursor: {}}"))
        .startsWith("146 ExceededMemoryLimit: ");
  }

  private static String project(String expression) {
    return "{aggregate: 'c', pipeline: [{$limit: 1}, {$project: {x: "
        + expression
        + "}}], cursor: {}}";
  }

  @Test
  void whatExpressionsBuildIsLimitedAndFailsSoon() {
    String doubledText =
        "{$strLenBytes: {$reduce: {input: {$range: [0, 60]}, initialValue: 'abcdefgh', in: {$concat:"
            + " ['$$value', '$$value']}}}}";
    String doubledArray =
        "{$size: {$reduce: {input: {$range: [0, 60]}, initialValue: [1], in: {$concatArrays:"
            + " ['$$value', '$$value']}}}}";
    String replaced =
        "{$strLenBytes: {$reduce: {input: {$range: [0, 60]}, initialValue: 'aa', in: {$replaceAll:"
            + " {input: '$$value', find: 'a', replacement: 'aaaaaaaa'}}}}}";
    assertThat(large.error(project(doubledText)))
        .startsWith("13548 Location13548: ")
        .contains("BufBuilder attempted to grow() to ")
        .contains("past the 64MB limit.");
    assertThat(large.error(project(replaced))).startsWith("13548 Location13548: ");
    for (String expression : List.of(doubledText, doubledArray, replaced)) {
      assertThat(small.error(project(expression))).startsWith("146 ExceededMemoryLimit: ");
    }
    String many = "{$size: {$map: {input: {$range: [0, 5000]}, in: {$concat: ['$t', '$t']}}}}";
    assertThat(small.error(project(many))).startsWith("146 ExceededMemoryLimit: ");
    assertThat(large.run(project(many)).containsKey("cursor")).isTrue();
    String shared =
        "{$let: {vars: {a: {$range: [0, 5000]}}, in: {$size: {$map: {input: {$range: [0, 1000]}, in:"
            + " {a: '$$a'}}}}}}";
    assertThat(small.run(project(shared)).containsKey("cursor")).as("one array").isTrue();
    String often = "{$map: {input: {$range: [0, 20000]}, in: '$t'}}";
    assertThat(large.error(project(often))).startsWith("10334 BSONObjectTooLarge: BSONObj size: ");
  }

  /** Sends a request whose reply cannot be encoded. */
  private static List<BsonDocument> unencodable(DataFixture server, String json) {
    var replies = new ArrayList<BsonDocument>();
    var target =
        new ReplyTarget() {
          @Override
          public void accept(BsonDocument reply, byte[] lastFields) {
            accept(reply);
          }

          @Override
          public void acceptEncoded(RawDocument reply) {
            accept(reply.toBsonDocument());
          }

          @Override
          public void accept(BsonDocument reply) {
            if (reply.containsKey("cursor")) {
              throw new OutOfMemoryError("for the reply");
            }
            replies.add(reply);
          }
        };
    RawDocument body = RawDocument.of(BsonDocument.parse(json));
    server
        .commands
        .dispatcher()
        .dispatch(Request.message(server.commands.connection, body, List.of()), target);
    return replies;
  }

  @Test
  void aCursorWhoseReplyCannotBeSentIsGone() {
    for (String query : QUERIES.subList(0, 4)) {
      String size = query.startsWith("find") ? "batchSize: 2" : "cursor: {batchSize: 2}";
      String first = "{%s, %s, $db: 'test'}".formatted(query, size);
      assertThat(unencodable(small, first).get(0).getInt32("code").getValue()).isEqualTo(146);
      assertThat(small.cursors.count()).isZero();
      long id = cursor(small.run("{%s, %s}".formatted(query, size))).getInt64("id").getValue();
      String more =
          "{getMore: {$numberLong: '%d'}, collection: 'c', batchSize: 2, $db: 'test'}"
              .formatted(id);
      assertThat(unencodable(small, more).get(0).getInt32("code").getValue()).isEqualTo(146);
      assertThat(small.cursors.count()).isZero();
      assertThat(small.commands.operations.memory().usedBytes()).isZero();
    }
  }

  @Test
  void aRequestIsCountedByWhatItBecomes() {
    var list = new StringBuilder("0");
    for (int i = 1; i < 20_000; i++) {
      list.append(',').append(i);
    }
    MemoryBudget memory = small.commands.operations.memory();
    long before = memory.mostBytes();
    String find = "{find: 'c', filter: {r: {$in: [%s]}}, limit: 5}".formatted(list);
    assertThat(cursor(small.run(find)).getArray("firstBatch")).isNotEmpty();
    assertThat(memory.mostBytes()).isGreaterThan(before).isGreaterThan(20_000 * 100L);
    assertThat(memory.usedBytes()).isZero();
    String update = "{update: 'c', updates: [{q: {_id: 1}, u: {$set: {a: [%s]}}}]}".formatted(list);
    assertThat(small.run(update).getInt32("nModified").getValue()).isOne();
    String again = "{update: 'c', updates: [{q: {_id: 1}, u: [{$set: {b: '$a'}}]}]}";
    assertThat(small.run(again).getInt32("nModified").getValue()).isOne();
    assertThat(memory.usedBytes()).isZero();
  }

  /** A filter stays in memory as long as its cursor is open. */
  @Test
  void cursorsWithLargeFiltersAreRefusedWhenTheyWouldKeepTooMuch() {
    var list = new StringBuilder("0");
    for (int i = 1; i < 3_000; i++) {
      list.append(',').append(i);
    }
    String find = "{find: 'c', filter: {r: {$in: [%s]}}, batchSize: %d}";
    MemoryBudget memory = small.commands.operations.memory();
    var open = new ArrayList<Long>();
    BsonDocument reply = small.run(find.formatted(list, 2));
    for (; reply.containsKey("cursor") && open.size() < 50; ) {
      open.add(cursor(reply).getInt64("id").getValue());
      reply = small.run(find.formatted(list, 2));
    }
    assertThat(open).hasSizeBetween(2, 40);
    assertThat(reply.getInt32("code").getValue()).as(reply.toString()).isEqualTo(146);
    assertThat(memory.restingBytes()).isLessThanOrEqualTo(BUDGET / 2);
    assertThat(all(small, "find: 'c'", 5_000)).hasSize(DOCUMENTS);
    int count = rest(small, open.remove(0), 5_000).size();
    assertThat(count).isPositive();
    open.add(cursor(small.run(find.formatted(list, 2))).getInt64("id").getValue());
    for (long id : open) {
      assertThat(rest(small, id, 5_000)).hasSize(count);
    }
  }

  @Test
  void termsOfTextsAreCounted() {
    var text = new StringBuilder();
    for (int i = 0; i < 50_000; i++) {
      text.append(" word").append(i);
    }
    small.run("{createIndexes: 'texts', indexes: [{key: {t: 'text'}, name: 't'}]}");
    String insert = "{insert: 'texts', documents: [{_id: %d, t: '%s'}]}";
    assertThat(small.run(insert.formatted(1, "rose " + "tulip ".repeat(50_000))))
        .containsEntry("n", new BsonInt32(1));
    assertThat(small.run(insert.formatted(2, text)).toString()).contains("146");
    String find = "{find: 'texts', filter: {$text: {$search: '%s'}}}";
    assertThat(cursor(small.run(find.formatted("rose"))).getArray("firstBatch")).hasSize(1);
    assertThat(small.error(find.formatted(text))).startsWith("146 ExceededMemoryLimit: ");
  }

  @Test
  void constantsThatAreComputedAheadAreCounted() {
    String range = "{$size: {$map: {input: {$range: [0, %d]}, in: {$add: ['$$this', 1]}}}}";
    assertThat(small.error(project(range.formatted(1_000_000))))
        .startsWith("146 ExceededMemoryLimit: ");
    assertThat(cursor(small.run(project(range.formatted(10_000)))).getArray("firstBatch"))
        .hasSize(1);
    String expr = "{find: 'c', filter: {$expr: {$in: ['$_id', {$range: [0, %d]}]}}, batchSize: 3}";
    BsonDocument open = cursor(small.run(expr.formatted(4_000)));
    assertThat(small.commands.operations.memory().usedBytes()).isGreaterThan(4_000 * 16L);
    assertThat(rest(small, open.getInt64("id").getValue(), 5_000)).hasSize(DOCUMENTS - 3);
    assertThat(small.error(expr.formatted(2_000_000))).startsWith("146 ExceededMemoryLimit: ");
  }

  @Test
  void whateverEndsACursorGivesItsMemoryBack() {
    var random = new Random(2);
    var open = new ArrayList<Long>();
    for (int i = 0; i < 120; i++) {
      String query = QUERIES.get(random.nextInt(QUERIES.size()));
      String size = query.startsWith("find") ? ", batchSize: 1" : ", cursor: {batchSize: 1}";
      String diskUse = random.nextInt(4) == 0 ? ", allowDiskUse: false" : "";
      switch (random.nextInt(8)) {
        case 0, 1, 2 -> {
          BsonDocument reply = small.run("{" + query + size + diskUse + "}");
          if (reply.containsKey("cursor") && cursor(reply).getInt64("id").getValue() != 0) {
            open.add(cursor(reply).getInt64("id").getValue());
          }
        }
        case 3 -> all(small, query, 1_000);
        case 4 ->
            small.run("{explain: {" + query + (query.startsWith("find") ? "}}" : ", cursor: {}}}"));
        case 5 -> {
          if (!open.isEmpty()) {
            long id = open.remove(random.nextInt(open.size()));
            small.run("{killCursors: 'c', cursors: [{$numberLong: '" + id + "'}]}");
          }
        }
        default -> {
          if (!open.isEmpty()) {
            long id = open.get(random.nextInt(open.size()));
            small.run(
                "{getMore: {$numberLong: '%d'}, collection: 'c', batchSize: %d}"
                    .formatted(id, 1 + random.nextInt(500)));
          }
        }
      }
    }
    small.run("{drop: 'c'}");
    for (long id : open) {
      small.run("{getMore: {$numberLong: '%d'}, collection: 'c'}".formatted(id));
    }
    assertThat(small.cursors.count()).isZero();
    assertThat(small.commands.operations.memory().usedBytes()).isZero();
  }
}
