package dev.orrery.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.lane.Lane;
import dev.orrery.storage.WriteOutcome.Status;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What any storage engine does with transactions; a model of snapshot isolation says what. */
public abstract class TransactionContract extends StorageFixture {
  private static final String VALUE_INDEX = "{v: 2, key: {v: 1}, name: 'v_1'}";
  private static final String UNIQUE_INDEX = "{v: 2, key: {u: 1}, name: 'u_1', unique: true}";
  private static final String[] KEYS = {"a", "b", "c"};

  /** Which document, by partition key and id. */
  private record Name(String key, int id) implements Comparable<Name> {
    @Override
    public int compareTo(Name other) {
      return (key + id).compareTo(other.key + other.id);
    }
  }

  /** What a document has: a value, and one that is unique in its partition key. */
  private record Fields(int value, int unique) {}

  /** What is committed, and by which commit each document was changed last. */
  private static final class World {
    final TreeMap<Name, Fields> documents = new TreeMap<>();
    final Map<Name, Integer> changed = new HashMap<>();
    final List<Open> open = new ArrayList<>();
    int commits;

    boolean isClaimed(Object what, @Nullable Open by) {
      return open.stream().anyMatch(one -> one != by && one.claims.containsKey(what));
    }

    void set(Name name, @Nullable Fields fields) {
      changed.put(name, commits);
      if (fields == null) {
        documents.remove(name);
      } else {
        documents.put(name, fields);
      }
    }

    /** The document that has a unique value; null for none. */
    @Nullable Name holder(Name name, int unique) {
      return documents.entrySet().stream()
          .filter(one -> one.getKey().key().equals(name.key()))
          .filter(one -> one.getValue().unique() == unique && !one.getKey().equals(name))
          .map(Map.Entry::getKey)
          .findFirst()
          .orElse(null);
    }
  }

  /** A transaction and what it must see. */
  private static final class Open {
    final Transaction transaction;
    final TreeMap<Name, Fields> sees;
    final Map<Name, Fields> written = new HashMap<>();

    /** Names and unique keys; whether a document of the transaction has them. */
    final Map<Object, Boolean> claims = new HashMap<>();

    final int begun;

    Open(Transaction transaction, World world) {
      this.transaction = transaction;
      this.sees = new TreeMap<>(world.documents);
      this.begun = world.commits;
    }

    /** Whether another document is seen with a unique key. */
    boolean seesOther(Name name, int unique) {
      return sees.entrySet().stream()
          .filter(one -> one.getKey().key().equals(name.key()) && !one.getKey().equals(name))
          .anyMatch(one -> one.getValue().unique() == unique);
    }
  }

  private static String unique(Name name, int unique) {
    return name.key() + "/" + unique;
  }

  private static RawDocument document(Name name, Fields fields) {
    return raw(
        "{_id: %d, p: '%s', v: %d, u: %d}"
            .formatted(name.id(), name.key(), fields.value(), fields.unique()));
  }

  private StoredDocument find(View view, Name name) {
    RawValue partitionKey = RawValue.of(new BsonString(name.key()));
    byte[] primaryKey = things().primaryKey(partitionKey, RawValue.of(new BsonInt32(name.id())));
    return Lane.await(view.partitionOf(things(), partitionKey).find(primaryKey, new WorkMeter()));
  }

  private @Nullable WriteOperation operation(View view, Name name, @Nullable Fields fields) {
    StoredDocument before = find(view, name);
    if (before == null) {
      return fields == null ? null : new WriteOperation.Insert(things(), document(name, fields));
    }
    return fields == null
        ? new WriteOperation.Delete(things(), before)
        : new WriteOperation.Replace(things(), before, document(name, fields));
  }

  private void createWithIndexes() {
    create("p", 2);
    engine.createIndexes(
        things(),
        List.of(
            IndexSpec.of(BsonDocument.parse(VALUE_INDEX)),
            IndexSpec.of(BsonDocument.parse(UNIQUE_INDEX))));
  }

  /** The same that a model says, by key, in natural order and through an index. */
  private void requireSeen(View view, Map<Name, Fields> expected) {
    var scanned = new TreeMap<Name, Fields>();
    var values = new ArrayList<Integer>();
    var ascending = new ArrayList<Integer>();
    var descending = new ArrayList<Integer>();
    for (PartitionStore partition : view.partitions(things())) {
      RecordCursor records = partition.scan(values.size() % 2 == 0);
      for (StoredDocument one = next(records); one != null; one = next(records)) {
        assertThat(scanned.put(name(one), fields(one))).isNull();
        values.add(fields(one).value());
      }
      ascending.addAll(indexed(partition, false));
      descending.addAll(indexed(partition, true));
    }
    assertThat(scanned).isEqualTo(new TreeMap<>(expected));
    values.sort(null);
    ascending.sort(null);
    descending.sort(null);
    assertThat(ascending).isEqualTo(values);
    assertThat(descending).isEqualTo(values);
    expected.forEach((name, fields) -> assertThat(fields(find(view, name))).isEqualTo(fields));
  }

  private static StoredDocument next(RecordCursor records) {
    return records.awaitNext(new WorkMeter());
  }

  /** The values of a partition by the index, whose order is checked. */
  private List<Integer> indexed(PartitionStore partition, boolean reverse) {
    IndexSpec index = things().info().index("v_1").spec();
    IndexCursor entries = partition.scan(index, IndexRange.all(reverse));
    var values = new ArrayList<Integer>();
    while (entries.awaitNext(new WorkMeter())) {
      StoredDocument found = Lane.await(partition.read(entries.recordId(), new WorkMeter()));
      int value = fields(found).value();
      if (!values.isEmpty()) {
        int before = values.get(values.size() - 1);
        assertThat(reverse ? before >= value : before <= value).isTrue();
      }
      values.add(value);
    }
    return values;
  }

  private static Name name(StoredDocument one) {
    return new Name(one.document().field("p").asString(), one.document().field("_id").asInt32());
  }

  private static Fields fields(StoredDocument one) {
    return new Fields(one.document().field("v").asInt32(), one.document().field("u").asInt32());
  }

  @Test
  void transactionsBehaveAsTheModelSays() {
    for (long seed = 1; seed <= 12; seed++) {
      var random = new Random(seed);
      createWithIndexes();
      var world = new World();
      for (int step = 0; step < 220; step++) {
        step(random, world);
      }
      world.open.forEach(one -> one.transaction.close());
      requireSeen(View.NEWEST, world.documents);
      assertThat(engine.validate(things())).isEmpty();
      engine.drop(things());
    }
  }

  private void step(Random random, World world) {
    int what = random.nextInt(20);
    if (what < 3 && world.open.size() < 4) {
      world.open.add(new Open(engine.begin(0), world));
    } else if (what < 7) {
      writePlainly(random, world);
    } else if (what == 7) {
      var partitions = things().partitions();
      if (partitions.size() > 1) {
        engine.merge(things(), partitions.get(0).id(), partitions.get(1).id());
      } else {
        engine.split(things(), partitions.get(0).id(), "20000000000000000000000000000000");
      }
    } else if (!world.open.isEmpty()) {
      Open open = world.open.get(random.nextInt(world.open.size()));
      if (what == 8) {
        commit(world, open);
      } else if (what == 9) {
        open.transaction.close();
        world.open.remove(open);
      } else if (what == 10) {
        requireSeen(open.transaction, open.sees);
      } else {
        write(random, world, open);
      }
    }
  }

  private static Name anyName(Random random) {
    return new Name(KEYS[random.nextInt(KEYS.length)], random.nextInt(5));
  }

  private static @Nullable Fields anyFields(Random random) {
    return random.nextInt(4) == 0 ? null : new Fields(random.nextInt(20), random.nextInt(7));
  }

  private void writePlainly(Random random, World world) {
    Name name = anyName(random);
    Fields fields = anyFields(random);
    Status status;
    do {
      WriteOperation operation = operation(View.NEWEST, name, fields);
      if (operation == null) {
        return;
      }
      status = commit(operation).status();
    } while (status == Status.CONFLICT);
    Fields before = world.documents.get(name);
    boolean isAdded = fields != null && (before == null || before.unique() != fields.unique());
    Status expected = Status.APPLIED;
    if (world.isClaimed(name, null)
        || isAdded && world.isClaimed(unique(name, fields.unique()), null)) {
      expected = Status.CLAIMED;
    } else if (isAdded && world.holder(name, fields.unique()) != null) {
      expected = Status.DUPLICATE;
    }
    assertThat(status).isEqualTo(expected);
    if (status == Status.APPLIED) {
      world.commits++;
      world.set(name, fields);
    }
  }

  private void write(Random random, World world, Open open) {
    Name name = anyName(random);
    Fields fields = anyFields(random);
    WriteOperation operation = operation(open.transaction, name, fields);
    assertThat(operation == null).isEqualTo(fields == null && !open.sees.containsKey(name));
    if (operation == null) {
      return;
    }
    Status expected = expected(world, open, name, fields);
    Status status =
        open.transaction
            .write(WriteBatch.of(operation), new WorkMeter())
            .outcomes()
            .get(0)
            .status();
    assertThat(status).isEqualTo(expected);
    if (status == Status.CONFLICT) {
      open.transaction.close();
      world.open.remove(open);
    } else if (status == Status.APPLIED) {
      Fields before = open.sees.get(name);
      open.claims.put(name, true);
      if (before != null && (fields == null || fields.unique() != before.unique())) {
        open.claims.put(unique(name, before.unique()), false);
      }
      if (fields != null && (before == null || fields.unique() != before.unique())) {
        open.claims.put(unique(name, fields.unique()), true);
      }
      open.written.put(name, fields);
      if (fields == null) {
        open.sees.remove(name);
      } else {
        open.sees.put(name, fields);
      }
    }
  }

  private static Status expected(World world, Open open, Name name, @Nullable Fields fields) {
    boolean isChanged =
        !open.claims.containsKey(name) && world.changed.getOrDefault(name, 0) > open.begun;
    if (world.isClaimed(name, open) || isChanged) {
      return Status.CONFLICT;
    }
    Fields before = open.sees.get(name);
    if (fields == null || before != null && before.unique() == fields.unique()) {
      return Status.APPLIED;
    }
    String key = unique(name, fields.unique());
    if (open.claims.containsKey(key)) {
      return open.claims.get(key) ? Status.DUPLICATE : Status.APPLIED;
    }
    if (world.isClaimed(key, open)) {
      return Status.CONFLICT;
    }
    Name holder = world.holder(name, fields.unique());
    if (holder == null) { // or somebody gave it up, whom the transaction still sees with it
      return open.seesOther(name, fields.unique()) ? Status.CONFLICT : Status.APPLIED;
    }
    return world.changed.get(holder) > open.begun ? Status.CONFLICT : Status.DUPLICATE;
  }

  private void commit(World world, Open open) {
    requireSeen(open.transaction, open.sees);
    CommitResult result = Lane.await(open.transaction.commit(List::of, new WorkMeter()));
    assertThat(result.outcomes()).allMatch(WriteOutcome::isApplied);
    world.commits++;
    open.written.forEach(world::set);
    world.open.remove(open);
    requireSeen(View.NEWEST, world.documents);
  }

  @Test
  void aWriteToADroppedCollectionIsAConflict() {
    createWithIndexes();
    CollectionStore dropped = things();
    try (Transaction transaction = engine.begin(0)) {
      engine.drop(dropped);
      var insert = new WriteOperation.Insert(dropped, document(new Name("a", 1), new Fields(7, 1)));
      assertThat(transaction.write(WriteBatch.of(insert), new WorkMeter()).outcomes())
          .extracting(WriteOutcome::status)
          .containsExactly(Status.CONFLICT);
    }
  }

  @Test
  void aKeyOfADocumentThatIsStillSeenIsNotGivenTwice() {
    createWithIndexes();
    insert("{_id: 1, p: 'a', v: 1, u: 1}");
    for (Name name : List.of(new Name("a", 2), new Name("a", 1))) {
      try (Transaction transaction = engine.begin(0)) {
        while (find(View.NEWEST, new Name("a", 1)) != null) { // an engine may ask to try again
          commit(operation(View.NEWEST, new Name("a", 1), null));
        }
        var insert = new WriteOperation.Insert(things(), document(name, new Fields(7, 1)));
        assertThat(transaction.write(WriteBatch.of(insert), new WorkMeter()).outcomes())
            .extracting(WriteOutcome::status)
            .containsExactly(Status.CONFLICT);
      }
      insert("{_id: 1, p: 'a', v: 1, u: 1}");
    }
  }

  @Test
  void twoDocumentsMayExchangeTheirUniqueKeys() {
    createWithIndexes();
    insert("{_id: 1, p: 'a', v: 1, u: 1}");
    insert("{_id: 2, p: 'a', v: 2, u: 2}");
    try (Transaction transaction = engine.begin(0)) {
      put(transaction, new Name("a", 1), new Fields(1, 3));
      put(transaction, new Name("a", 2), new Fields(2, 1));
      put(transaction, new Name("a", 1), new Fields(1, 2));
      assertThat(Lane.await(transaction.commit(List::of, new WorkMeter())).outcomes())
          .allMatch(WriteOutcome::isApplied);
    }
    requireSeen(
        View.NEWEST,
        Map.of(new Name("a", 1), new Fields(1, 2), new Name("a", 2), new Fields(2, 1)));
    assertThat(engine.validate(things())).isEmpty();
  }

  private void put(Transaction transaction, Name name, Fields fields) {
    var batch = WriteBatch.of(operation(transaction, name, fields));
    assertThat(transaction.write(batch, new WorkMeter()).outcomes())
        .allMatch(WriteOutcome::isApplied);
  }
}
