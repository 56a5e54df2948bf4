package dev.orrery.server.plan;

import dev.orrery.language.query.Collation;
import dev.orrery.language.query.FilterContext;
import dev.orrery.language.query.FilterParser;
import dev.orrery.language.query.SortPattern;
import dev.orrery.server.cursor.SpillDirectory;
import dev.orrery.server.store.QueryHooks;
import dev.orrery.server.store.TestEngines;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/** An embedded engine with one collection, and short ways to ask it. */
final class PlanFixture implements AutoCloseable {
  final StorageEngine engine;
  final CollectionStore collection;
  private final Path temporary;

  PlanFixture(Path directory, String partitionKey, int partitions) {
    this(
        directory,
        TestEngines.open(directory.resolve("data"), TestEngines.options(), new QueryHooks()),
        partitionKey,
        partitions);
  }

  PlanFixture(Path directory, StorageEngine engine, String partitionKey, int partitions) {
    this.engine = engine;
    temporary = directory.resolve("temporary");
    collection =
        engine.create(
            new Namespace("db", "c"),
            new CollectionInfo.Creation(
                new BsonDocument(),
                partitionKey,
                List.of(IndexSpec.idIndex()),
                partitions,
                new BsonDocument()));
  }

  static RawDocument raw(String json) {
    return RawDocument.of(BsonDocument.parse(json));
  }

  void insert(String... documents) {
    for (String document : documents) {
      insert(raw(document));
    }
  }

  void insert(RawDocument document) {
    TestEngines.commit(engine, List.of(new WriteOperation.Insert(collection, document)));
  }

  /** Gives a document another value of {@code a}. */
  void moveAhead(StoredDocument before, int value) {
    var after = before.document().toBsonDocument();
    after.put("a", new BsonInt32(value));
    var replace = new WriteOperation.Replace(collection, before, RawDocument.of(after));
    TestEngines.commit(engine, List.of(replace));
  }

  /** {@code options} is what follows the key and the name in an index specification, or empty. */
  void index(String name, String key, String options) {
    var document =
        new BsonDocument("v", new BsonInt32(2))
            .append("key", BsonDocument.parse(key))
            .append("name", new BsonString(name));
    document.putAll(BsonDocument.parse(options));
    engine.createIndexes(collection, List.of(IndexSpec.of(document)));
  }

  Query query(String filter) {
    return query(filter, Collation.SIMPLE);
  }

  Query query(String filter, Collation collation) {
    var document = raw(filter);
    var context = FilterContext.DEFAULT.withOrder(collation.order());
    return Query.of(collection, FilterParser.parse(document, context), document).with(collation);
  }

  static Query.Order order(String sort) {
    var document = raw(sort);
    var pattern = SortPattern.parse(document, Collation.SIMPLE.order());
    return new Query.Order(pattern, document, false);
  }

  static Query.Hints hint(String name) {
    return new Query.Hints(new BsonString(name), null, null);
  }

  static Query.Hints natural() {
    return new Query.Hints(BsonDocument.parse("{$natural: 1}"), null, null);
  }

  Execution execution() {
    return new Execution(new SpillDirectory(temporary), true);
  }

  List<RawDocument> run(Query query) {
    return run(query, execution());
  }

  List<RawDocument> run(Query query, Execution execution) {
    var results = new ArrayList<RawDocument>();
    try (var cursor = new Planner().plan(query).open(execution)) {
      for (var one = cursor.next(); one != null; one = cursor.next()) {
        results.add(one.document());
      }
    }
    return results;
  }

  List<Integer> ids(Query query) {
    return run(query).stream().map(document -> document.field("_id").asInt32()).toList();
  }

  /** The winning plan; of a partitioned collection, that of its first partition. */
  BsonDocument plan(Query query) {
    return new Planner()
        .plan(query)
        .explain(ExplainVerbosity.QUERY_PLANNER, execution())
        .getDocument("queryPlanner")
        .getDocument("winningPlan");
  }

  BsonDocument statistics(Query query) {
    return new Planner()
        .plan(query)
        .explain(ExplainVerbosity.EXECUTION_STATS, execution())
        .getDocument("executionStats");
  }

  /** The names of the stages from the top down, along first inputs. */
  static List<String> stages(BsonDocument stage) {
    var names = new ArrayList<String>();
    for (BsonDocument next = stage; next != null; next = inputOf(next)) {
      names.add(next.getString("stage").getValue());
    }
    return names;
  }

  private static BsonDocument inputOf(BsonDocument stage) {
    if (stage.containsKey("inputStages")) {
      return stage.getArray("inputStages").get(0).asDocument();
    }
    return stage.containsKey("inputStage") ? stage.getDocument("inputStage") : null;
  }

  /** The index scan at the bottom of a plan. */
  static BsonDocument scan(BsonDocument stage) {
    BsonDocument last = stage;
    for (BsonDocument next = stage; next != null; next = inputOf(next)) {
      last = next;
    }
    return last;
  }

  @Override
  public void close() {
    engine.close();
  }
}
