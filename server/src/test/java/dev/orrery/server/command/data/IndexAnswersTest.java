package dev.orrery.server.command.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.DataFixture;
import dev.orrery.server.command.data.TwinCollections.Setting;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever indexes a collection has, commands answer as they do without them. A million checks are
 * made by {@code -Dindexes.checks=1000000}, others by another {@code -Dindexes.seed=}; what a
 * failure prints repeats its round.
 */
class IndexAnswersTest {
  static final JsonWriterSettings EXACT =
      JsonWriterSettings.builder().outputMode(JsonMode.EXTENDED).build();

  private static final int CHECKS = Integer.getInteger("indexes.checks", 20_000);
  private static final long SEED = Long.getLong("indexes.seed", 1);
  private static final int FAILURES_MAX = Integer.getInteger("indexes.failures", 5);
  private static final int CHECKS_OF_ROUND = 60;
  private static final int ROUNDS_OF_ENGINE = 200;

  @TempDir Path directory;
  private final List<String> failures = new ArrayList<>();
  private int checks;

  @Test
  void commandsAnswerTheSameWithAndWithoutIndexes() {
    long seed = SEED;
    while (isGoingOn()) {
      try (var data = new DataFixture(directory.resolve("engine" + seed))) {
        for (int i = 0; i < ROUNDS_OF_ENGINE && isGoingOn(); i++) {
          round(data, seed++);
        }
      }
    }
    assertThat(failures).isEmpty();
  }

  private boolean isGoingOn() {
    return checks < CHECKS && failures.size() < FAILURES_MAX;
  }

  private void round(DataFixture data, long seed) {
    var random = new Random(seed * 0x9E3779B97F4A7C15L);
    var values = new RandomValues(random);
    var queries = new RandomQueries(random, values);
    var setting = setting(random, values, queries);
    var twins = new TwinCollections(data, setting);
    List<BsonDocument> indexes = twins.indexes();
    var commands = new RandomCommands(random, queries, indexes);
    List<BsonDocument> before = twins.documents();
    for (int i = 0; i < CHECKS_OF_ROUND; i++) {
      BsonDocument command = commands.next();
      String difference = twins.difference(command);
      checks++;
      if (difference != null) {
        var here = new Setting(before, indexes, setting.partitions(), setting.isIndexedLast());
        var shrinking = new Shrinking(data, here, command);
        failures.add(flags(seed) + "\n" + shrinking.shortest(difference));
        return;
      }
      before = TwinCollections.isRead(command) ? before : twins.documents();
    }
    String fault = twins.fault();
    if (fault != null) {
      failures.add(flags(seed) + " validate: " + fault);
    }
  }

  private static String flags(long seed) {
    return "-Dindexes.checks=1 -Dindexes.seed=" + seed;
  }

  private static Setting setting(Random random, RandomValues values, RandomQueries queries) {
    var documents = new ArrayList<BsonDocument>();
    for (int i = 5 + random.nextInt(25); i > 0; i--) {
      documents.add(values.document(i));
    }
    var indexes = new ArrayList<BsonDocument>();
    for (int i = 1 + random.nextInt(5); i > 0; i--) {
      indexes.add(queries.index().append("name", new BsonString("index" + i)));
    }
    int partitions = random.nextInt(3) == 0 ? 3 : 1;
    return new Setting(documents, indexes, partitions, random.nextBoolean());
  }

  /** Commands of every kind on a collection with given indexes. */
  private record RandomCommands(Random random, RandomQueries queries, List<BsonDocument> indexes) {
    BsonDocument next() {
      return switch (random.nextInt(20)) {
        case 0, 1 -> count();
        case 2 -> distinct();
        case 3, 4 -> isOneOf(2) ? aggregate() : grouped();
        case 5, 6 -> projected();
        case 7 -> write();
        default -> find();
      };
    }

    private static BsonDocument command(String name) {
      return new BsonDocument(name, new BsonString("twin"));
    }

    private boolean isOneOf(int count) {
      return random.nextInt(count) == 0;
    }

    private BsonDocument find() {
      BsonDocument find = command("find").append("filter", queries.filter(2));
      if (isOneOf(3)) {
        find.append("sort", queries.sort());
      }
      addWindow(find);
      addHint(find);
      addCollation(find);
      return find;
    }

    private void addWindow(BsonDocument command) {
      if (isOneOf(3)) {
        command.append("limit", new BsonInt32(1 + random.nextInt(6)));
      }
      if (isOneOf(4)) {
        command.append("skip", new BsonInt32(random.nextInt(6)));
      }
    }

    private void addCollation(BsonDocument command) {
      if (isOneOf(5)) {
        command.append("collation", BsonDocument.parse(RandomQueries.COLLATION));
      }
    }

    private void addHint(BsonDocument command) {
      if (!indexes.isEmpty() && isOneOf(2)) {
        command.append("hint", indexes.get(random.nextInt(indexes.size())).get("name"));
      }
    }

    private BsonDocument projected() {
      BsonDocument pattern =
          indexes.isEmpty()
              ? new BsonDocument()
              : indexes.get(random.nextInt(indexes.size())).getDocument("key");
      BsonDocument find = command("find").append("filter", queries.filter(1));
      if (!pattern.isEmpty() && isOneOf(2)) {
        String first = pattern.getFirstKey().replace("$**", "x");
        find.append("filter", new BsonDocument(first, BsonDocument.parse("{$gte: 1}")));
      }
      find.append("projection", queries.projection(pattern));
      if (isOneOf(3)) {
        find.append("sort", total(queries.sort()));
        addWindow(find);
      }
      addHint(find);
      return find;
    }

    private static BsonDocument total(BsonDocument sort) {
      return sort.containsKey("_id") ? sort : sort.append("_id", new BsonInt32(1));
    }

    private BsonDocument count() {
      BsonDocument count = command("count").append("query", queries.filter(2));
      addWindow(count);
      addHint(count);
      addCollation(count);
      return count;
    }

    private BsonDocument distinct() {
      BsonDocument distinct = command("distinct").append("key", new BsonString(queries.path()));
      distinct.append("query", isOneOf(3) ? new BsonDocument() : queries.filter(1));
      addCollation(distinct);
      return distinct;
    }

    private BsonDocument aggregate() {
      var pipeline = new BsonArray();
      pipeline.add(new BsonDocument("$match", queries.filter(2)));
      pipeline.add(new BsonDocument("$sort", total(queries.sort())));
      if (isOneOf(3)) {
        pipeline.add(new BsonDocument("$limit", new BsonInt32(1 + random.nextInt(5))));
      }
      if (isOneOf(3)) {
        pipeline.add(BsonDocument.parse("{$project: {a: 1, 'w.x': 1}}"));
      } else if (isOneOf(3)) {
        pipeline.add(BsonDocument.parse("{$count: 'n'}"));
      }
      BsonDocument cursor = new BsonDocument("batchSize", new BsonInt32(1000));
      BsonDocument aggregate =
          command("aggregate").append("pipeline", pipeline).append("cursor", cursor);
      addCollation(aggregate);
      return aggregate;
    }

    /** What an index may answer alone, or with one document of each group. */
    private BsonDocument grouped() {
      var pipeline = new BsonArray();
      if (!isOneOf(3)) {
        pipeline.add(new BsonDocument("$match", queries.filter(1)));
      }
      BsonDocument sort = total(queries.sort());
      String path = isOneOf(4) ? queries.path() : sort.getFirstKey();
      if (isOneOf(3)) { // whichever of equal numbers comes first, their types must not be seen
        pipeline.add(
            BsonDocument.parse(
                "{$group: {_id: {$type: '$%s'}, n: {$sum: 1}, m: {$sum: {$cond: ['$%s', 1, 2]}}}}"
                    .formatted(path, queries.path())));
        pipeline.add(BsonDocument.parse("{$sort: {_id: 1}}"));
      } else {
        pipeline.add(new BsonDocument("$sort", sort));
        pipeline.add(
            BsonDocument.parse(
                "{$group: {_id: '$%s', v: {%s: '$%s'}}}"
                    .formatted(
                        path,
                        isOneOf(2) ? "$first" : "$last",
                        isOneOf(2) ? "_id" : queries.path())));
        pipeline.add(BsonDocument.parse("{$group: {_id: '$v', n: {$sum: 1}}}"));
        pipeline.add(BsonDocument.parse("{$sort: {_id: 1}}"));
      }
      return command("aggregate")
          .append("pipeline", pipeline)
          .append("cursor", new BsonDocument("batchSize", new BsonInt32(1000)));
    }

    private BsonDocument write() {
      BsonDocument filter = queries.filter(1);
      if (isOneOf(3)) {
        BsonDocument change = command("findAndModify").append("query", filter);
        change.append("sort", total(queries.sort()));
        return isOneOf(3)
            ? change.append("remove", BsonBoolean.TRUE)
            : change.append("update", queries.update());
      }
      if (isOneOf(6)) {
        var one = new BsonDocument("q", filter).append("limit", new BsonInt32(0));
        return command("delete").append("deletes", new BsonArray(List.of((BsonValue) one)));
      }
      var one = new BsonDocument("q", filter).append("u", queries.update());
      one.append("multi", BsonBoolean.TRUE);
      if (isOneOf(4)) {
        BsonDocument update = one.getDocument("u");
        update.append("$setOnInsert", new BsonDocument("_id", new BsonInt32(random.nextInt(99))));
        one.append("upsert", BsonBoolean.TRUE);
      }
      return command("update").append("updates", new BsonArray(List.of((BsonValue) one)));
    }
  }
}
