package dev.orrery.server.command.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.error.TypeSample;
import dev.orrery.server.command.Command;
import dev.orrery.server.command.CompatDocumentTest;
import dev.orrery.server.command.DataFixture;
import dev.orrery.server.command.FieldRecorder.Use;
import dev.orrery.server.command.schema.IndexDefinition;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * The cases of {@code cases/command}: after a {@code setup}, what a command replies as a whole, or
 * its {@code error} with code and words, and which documents, options and indexes there are then.
 * In {@code types} a command is run with a value of every BSON type, of which it {@code accepts}
 * some.
 */
class CommandCasesTest {
  private static final JsonWriterSettings CANONICAL =
      JsonWriterSettings.builder().outputMode(JsonMode.EXTENDED).build();
  private static final Set<String> KINDS = Set.of("plain", "wrongType", "edge");
  private static final List<String> COMMANDS =
      List.of("insert", "update", "delete", "findAndModify", "create", "createIndexes", "collMod");

  /** Rules that go across commands, a file for each. */
  private static final List<String> TOPICS =
      List.of("capped", "concerns", "outputs", "projections", "sums", "timeseries", "values");

  /** The recorder sees no statements, since it parses a command without any. */
  private static final List<String> STATEMENT_FIELDS =
      List.of(
          "update.updates.q",
          "update.updates.u",
          "update.updates.c",
          "update.updates.arrayFilters",
          "update.updates.multi",
          "update.updates.upsert",
          "update.updates.upsertSupplied",
          "update.updates.hint",
          "update.updates.collation",
          "delete.deletes.q",
          "delete.deletes.limit",
          "delete.deletes.hint",
          "delete.deletes.collation");

  /** Not of the first two tiers: time series, clustered collections, what only servers send. */
  private static final List<String> LESS_USED =
      List.of(
          "collMod.index.forceNonUnique",
          "collMod.timeseries",
          "create.clusteredIndex",
          "create.recordPreImages",
          "create.temp",
          "create.timeseries",
          "createIndexes.returnOnStart",
          "insert.bypassEmptyTsReplacement");

  /** Options of text and geo indexes, of internal ones, and of those that do nothing any more. */
  private static final Set<String> LESS_USED_INDEX_FIELDS =
      Set.of(
          "2dsphereIndexVersion",
          "bits",
          "bucketSize",
          "clustered",
          "coarsestIndexedLevel",
          "columnstoreCompressor",
          "columnstoreProjection",
          "default_language",
          "dropDups",
          "finestIndexedLevel",
          "language_override",
          "max",
          "min",
          "ns",
          "originalSpec",
          "textIndexVersion",
          "weights");

  private static DataFixture data;

  @BeforeAll
  static void open(@TempDir Path directory) {
    data = new DataFixture(directory);
  }

  @AfterAll
  static void close() {
    data.close();
  }

  @Test
  void everyOptionHasCasesOfEveryKind() {
    Map<String, Set<String>> kinds = new HashMap<>();
    for (String command : COMMANDS) {
      for (BsonDocument one : TypeSample.cases("command/" + command + ".json")) {
        note(kinds, one, one.getString("case").getValue());
      }
    }
    TypeSample.cases("command/types.json").forEach(one -> note(kinds, one, "wrongType"));
    for (String option : options()) {
      assertThat(kinds.get(option)).as(option).isEqualTo(KINDS);
    }
  }

  private static void note(Map<String, Set<String>> kinds, BsonDocument one, String kind) {
    String option = one.getString("option").getValue();
    kinds.computeIfAbsent(option, name -> new HashSet<>()).add(kind);
  }

  /** What the commands themselves say they read. */
  private static Set<String> options() {
    var options = new TreeSet<>(STATEMENT_FIELDS);
    for (Command command : CompatDocumentTest.commands()) {
      String name = command.spec().name();
      if (COMMANDS.contains(name)) {
        CompatDocumentTest.fieldsOf(command)
            .forEach(
                (path, use) -> {
                  if (use == Use.USED && !path.equals(name + '.' + name)) {
                    options.add(path);
                  }
                });
      }
    }
    options.removeIf(option -> LESS_USED.stream().anyMatch(option::startsWith));
    for (String field : IndexDefinition.FIELDS) {
      if (!LESS_USED_INDEX_FIELDS.contains(field)) {
        options.add("createIndexes.indexes." + field);
      }
    }
    return options;
  }

  @TestFactory
  Stream<DynamicTest> commandsReply() {
    return Stream.concat(COMMANDS.stream(), TOPICS.stream())
        .flatMap(command -> TypeSample.cases("command/" + command + ".json").stream())
        .map(one -> DynamicTest.dynamicTest(one.getString("name").getValue(), () -> check(one)));
  }

  private static void check(BsonDocument one) {
    prepare(one);
    BsonDocument reply = run(one.getDocument("run"));
    if (one.containsKey("error")) {
      assertThat(error(reply)).isEqualTo(one.getArray("error"));
    } else {
      assertThat(reply.toJson(CANONICAL)).isEqualTo(one.getDocument("reply").toJson(CANONICAL));
    }
    one.getDocument("after", new BsonDocument())
        .forEach((name, all) -> assertSame(batch("find", name), all));
    one.getDocument("indexes", new BsonDocument())
        .forEach((name, all) -> assertSame(batch("listIndexes", name), all));
    if (one.containsKey("options")) {
      assertThat(collectionOptions().toJson(CANONICAL))
          .isEqualTo(one.getDocument("options").toJson(CANONICAL));
    }
  }

  private static void prepare(BsonDocument one) {
    data.run("{dropDatabase: 1}");
    for (BsonValue command : one.getArray("setup", new BsonArray())) {
      BsonDocument reply = run(command.asDocument());
      assertThat(reply.getDouble("ok").getValue()).as(reply.toJson()).isEqualTo(1.0);
    }
  }

  private static BsonDocument run(BsonDocument command) {
    var onTest = command.clone().append("$db", new BsonString("test"));
    return data.run(onTest.toJson(CANONICAL));
  }

  private static BsonArray error(BsonDocument reply) {
    return reply.containsKey("code")
        ? new BsonArray(List.of(reply.get("code"), reply.get("errmsg")))
        : new BsonArray();
  }

  private static BsonArray batch(String command, String collection) {
    return run(new BsonDocument(command, new BsonString(collection)))
        .getDocument("cursor")
        .getArray("firstBatch");
  }

  /** Those of the cases' collections by name. */
  private static BsonDocument collectionOptions() {
    var options = new BsonDocument();
    BsonDocument reply = data.run("{listCollections: 1, filter: {name: {$in: ['c', 'v']}}}");
    for (BsonValue one : reply.getDocument("cursor").getArray("firstBatch")) {
      BsonDocument listed = one.asDocument();
      options.append(listed.getString("name").getValue(), listed.get("options"));
    }
    return options;
  }

  private static void assertSame(BsonValue actual, BsonValue expected) {
    assertThat(new BsonDocument("all", actual).toJson(CANONICAL))
        .isEqualTo(new BsonDocument("all", expected).toJson(CANONICAL));
  }

  @TestFactory
  Stream<DynamicTest> everyWrongType() {
    List<TypeSample> samples = TypeSample.all();
    return TypeSample.cases("command/types.json").stream()
        .map(
            one ->
                DynamicTest.dynamicTest(
                    one.getString("option").getValue(), () -> checkTypes(one, samples)));
  }

  private static void checkTypes(BsonDocument one, List<TypeSample> samples) {
    List<String> accepted =
        one.getArray("accepts").stream().map(type -> type.asString().getValue()).toList();
    prepare(one);
    for (TypeSample sample : samples) {
      BsonArray expected = one.getArray("error").clone();
      expected.set(1, new BsonString(sample.words(expected.get(1).asString().getValue())));
      BsonArray actual = error(run(sample.fill(one.getDocument("run"))));
      if (accepted.contains(sample.type())) {
        assertThat(actual).as(sample.type()).isNotEqualTo(expected);
        prepare(one);
      } else {
        assertThat(actual).as(sample.type()).isEqualTo(expected);
      }
    }
  }
}
