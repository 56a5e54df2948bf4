package dev.orrery.server.command.cosmos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.CosmosFixture;
import dev.orrery.server.store.QueryHooks;
import dev.orrery.server.store.TestEngines;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.engine.StoreCheck;
import dev.orrery.value.Namespace;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random writes of every kind into a partitioned collection leave what a map under (key, _id) has,
 * and structures that agree.
 */
final class PartitionedModelTest {
  private static final int ROUNDS = Integer.getInteger("orrery.model.rounds", 300);
  private static final int VALIDATED_EVERY = 10;
  private static final List<String> KEYS = List.of("1", "2", "'A'", "'B'", "true", "{x: 1}");
  private static final String RETRYABLE =
      ", lsid: {id: {$binary: {base64: 'AAAAAAAAAAAAAAAAAAAAAA==', subType: '04'}}},"
          + " txnNumber: {$numberLong: '%d'}";

  @TempDir Path directory;

  /** The value {@code v} under each primary key. */
  private Map<Id, Integer> model = new TreeMap<>();

  private final Random random = new Random(7);
  private CosmosFixture server;
  private int transactions;

  /** A primary key, as it is written in commands. */
  private record Id(String key, int id) implements Comparable<Id> {
    @Override
    public int compareTo(Id other) {
      int order = Integer.compare(id, other.id);
      return order != 0 ? order : key.compareTo(other.key);
    }

    String document(int value) {
      return "{_id: " + id + ", k: {id: " + key + "}, v: " + value + "}";
    }

    String filter() {
      return "{_id: " + id + ", 'k.id': " + key + "}";
    }
  }

  @Test
  @Timeout(300)
  void randomWritesLeaveWhatTheModelHas() {
    try (var opened = CosmosFixture.extended(directory.resolve("data"))) {
      server = opened;
      server.must("{shardCollection: 'shop.c', key: {'k.id': 'hashed'}, numInitialChunks: 3}");
      for (int round = 0; round < ROUNDS; round++) {
        step();
        assertThat(contents()).as("round " + round).isEqualTo(expected());
        if (round % VALIDATED_EVERY == 0) {
          validate();
        }
      }
      validate();
      KEYS.forEach(this::compareKey);
    }
    if (!TestEngines.isUnkind()) { // which has no files
      assertThat(new StoreCheck(directory.resolve("data"), new QueryHooks(), line -> {}).run())
          .isEmpty();
    }
  }

  private void validate() {
    for (CollectionStore collection : server.engine.collections()) {
      assertThat(server.engine.validate(collection)).isEmpty();
    }
  }

  private List<String> expected() {
    var documents = new ArrayList<String>();
    model.forEach(
        (id, value) ->
            documents.add(new TreeMap<>(BsonDocument.parse(id.document(value))).toString()));
    documents.sort(null);
    return documents;
  }

  private List<String> contents() {
    return found("{}");
  }

  private List<String> found(String filter) {
    var documents = new ArrayList<String>();
    for (BsonValue one :
        server
            .must("{find: 'c', filter: " + filter + ", batchSize: 10000}")
            .getDocument("cursor")
            .getArray("firstBatch")) {
      documents.add(new TreeMap<>(one.asDocument()).toString()); // in whatever order they came
    }
    documents.sort(null);
    return documents;
  }

  private void compareKey(String key) {
    long count = model.keySet().stream().filter(id -> id.key.equals(key)).count();
    assertThat(found("{'k.id': " + key + "}")).hasSize((int) count);
    model.keySet().forEach(id -> assertThat(found(id.filter())).as(id.toString()).hasSize(1));
  }

  private Id anyId() {
    return new Id(KEYS.get(random.nextInt(KEYS.size())), random.nextInt(5));
  }

  private void step() {
    switch (random.nextInt(10)) {
      case 0, 1 -> insert();
      case 2 -> delete();
      case 3 -> updateOne();
      case 4 -> updateMany();
      case 5, 6 -> move();
      case 7 -> out();
      default -> merge();
    }
    if (random.nextInt(40) == 0) {
      CollectionStore collection = server.engine.find(name("c"));
      int largest = collection.partitions().get(0).id();
      server.run("{splitPartition: 'c', partition: " + largest + "}");
    }
  }

  private static Namespace name(String collection) {
    return new Namespace("shop", collection);
  }

  private int value() {
    return random.nextInt(1000);
  }

  private void insert() {
    Id id = anyId();
    int value = value();
    BsonDocument reply = server.run("{insert: 'c', documents: [" + id.document(value) + "]}");
    assertThat(reply.getInt32("n").getValue()).isEqualTo(model.containsKey(id) ? 0 : 1);
    model.putIfAbsent(id, value);
  }

  private void delete() {
    Id id = anyId();
    server.must("{delete: 'c', deletes: [{q: " + id.filter() + ", limit: 1}]}");
    model.remove(id);
  }

  private void updateOne() {
    Id id = anyId();
    int value = value();
    boolean isUpsert = random.nextBoolean();
    String update = random.nextBoolean() ? "{$set: {v: " + value + "}}" : id.document(value);
    server.must(
        "{update: 'c', updates: [{q: %s, u: %s, upsert: %b}]}"
            .formatted(id.filter(), update, isUpsert));
    if (isUpsert || model.containsKey(id)) {
      model.put(id, value);
    }
  }

  private void updateMany() {
    server.must("{update: 'c', updates: [{q: {}, u: {$inc: {v: 1}}, multi: true}]}");
    model.replaceAll((id, value) -> value + 1);
  }

  /** Gives a document another key: allowed to those who may repeat, unless the place is taken. */
  private void move() {
    Id from = anyId();
    Id to = new Id(KEYS.get(random.nextInt(KEYS.size())), from.id);
    boolean isRetryable = random.nextInt(4) > 0;
    String update =
        switch (random.nextInt(3)) {
          case 0 -> "{$set: {'k.id': " + to.key + "}}";
          case 1 -> "[{$set: {k: {id: {$literal: " + to.key + "}}}}]";
          default -> to.document(model.getOrDefault(from, 0));
        };
    String tail = isRetryable ? RETRYABLE.formatted(++transactions) : "";
    boolean isFindAndModify = random.nextBoolean();
    BsonDocument reply =
        server.run(
            isFindAndModify
                ? "{findAndModify: 'c', query: "
                    + from.filter()
                    + ", update: "
                    + update
                    + tail
                    + "}"
                : "{update: 'c', updates: [{q: "
                    + from.filter()
                    + ", u: "
                    + update
                    + "}]"
                    + tail
                    + "}");
    boolean isMoved =
        model.containsKey(from) && isRetryable && !from.equals(to) && !model.containsKey(to);
    if (isMoved) {
      model.put(to, model.remove(from));
    }
    boolean isRefused = reply.containsKey("writeErrors") || reply.containsKey("errmsg");
    assertThat(isRefused).isEqualTo(model.containsKey(from) && !from.equals(to) && !isMoved);
  }

  /** Some documents in a collection of their own, from where a pipeline takes them. */
  private Map<Id, Integer> fillSource(int count) {
    server.run("{drop: 'source'}");
    var source = new TreeMap<Id, Integer>();
    while (source.size() < count) {
      source.put(anyId(), value());
    }
    var documents = new ArrayList<String>();
    source.forEach(
        (id, value) -> {
          String key = id.key;
          documents.add(
              "{_id: %d, id: %d, k: %s, v: %d}".formatted(documents.size(), id.id, key, value));
        });
    server.must("{insert: 'source', documents: " + documents + "}");
    return source;
  }

  private BsonDocument aggregate(String last) {
    String form = "{$project: {_id: '$id', k: {id: '$k'}, v: 1}}";
    return server.run("{aggregate: 'source', pipeline: [" + form + ", " + last + "], cursor: {}}");
  }

  private void out() {
    Map<Id, Integer> source = fillSource(1 + random.nextInt(8));
    assertThat(aggregate("{$out: 'c'}").containsKey("errmsg")).isFalse();
    model = source;
  }

  private void merge() {
    Map<Id, Integer> source = fillSource(1 + random.nextInt(8));
    String matched =
        List.of(
                "'replace'",
                "'merge'",
                "'keepExisting'",
                "'fail'",
                "[{$set: {v: {$add: ['$v', '$$new.v']}}}]",
                "[{$set: {'k.id': {$literal: 'B'}}}]")
            .get(random.nextInt(6));
    String notMatched =
        matched.equals("'keepExisting'") || matched.equals("'fail'")
            ? "'insert'"
            : List.of("'insert'", "'discard'", "'fail'").get(random.nextInt(3));
    String on = random.nextBoolean() ? "" : "on: ['_id', 'k.id'], ";
    BsonDocument reply =
        aggregate(
            "{$merge: {into: 'c', %swhenMatched: %s, whenNotMatched: %s}}"
                .formatted(on, matched, notMatched));
    Set<String> errors = new LinkedHashSet<>();
    source.forEach((id, value) -> mergeOne(id, value, matched + notMatched, errors));
    assertThat(reply.containsKey("errmsg")).as(reply.toString()).isEqualTo(!errors.isEmpty());
  }

  private void mergeOne(Id id, int value, String modes, Set<String> errors) {
    Integer present = model.get(id);
    if (present == null) {
      if (modes.endsWith("'insert'")) {
        model.put(id, value);
      } else if (modes.endsWith("'fail'")) {
        errors.add("nothing matches");
      }
    } else if (modes.startsWith("'replace'") || modes.startsWith("'merge'")) {
      model.put(id, value);
    } else if (modes.startsWith("'fail'")) {
      errors.add("duplicate");
    } else if (modes.contains("$add")) {
      model.put(id, present + value);
    } else if (modes.contains("$literal") && !id.key.equals("'B'")) {
      errors.add("another key");
    }
  }
}
