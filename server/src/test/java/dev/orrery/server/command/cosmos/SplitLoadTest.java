package dev.orrery.server.command.cosmos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.AwaitedReply;
import dev.orrery.server.command.ClientConnection;
import dev.orrery.server.command.CosmosFixture;
import dev.orrery.server.command.Dispatcher;
import dev.orrery.server.command.Request;
import dev.orrery.server.throughput.Provisioning;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.RecordCursor;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.engine.EngineOptions;
import dev.orrery.storage.log.LogOptions;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that write, update, read and scan while their collection splits thirty times. */
@Tag("embedded") // where partitions split by themselves
class SplitLoadTest {
  private static final int CLIENTS = 8;
  private static final int SPLITS = 30;
  private static final int DOCUMENTS_MAX = 1_000;
  private static final int LIMIT = 1 << 20;
  private static final BsonString FILL = new BsonString("x".repeat(16 << 10));

  @TempDir Path directory;

  private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();

  @Test
  void nothingFailsNothingIsLostAndNothingIsThereTwice() throws Exception {
    // Without fsync, as clients that wait for the disk do not fill so many partitions in time.
    var options =
        EngineOptions.defaults()
            .with(LogOptions.defaults().withFsync(false))
            .with(new EngineOptions.Limits(LIMIT, LIMIT));
    try (var fixture = new CosmosFixture(directory, Provisioning.EXTENDED, options)) {
      fixture.must("{shardCollection: 'shop.a', key: {k: 'hashed'}}");
      CollectionStore collection = fixture.engine.find(new Namespace("shop", "a"));
      Dispatcher dispatcher = fixture.commands.dispatcher();
      var pool = Executors.newFixedThreadPool(CLIENTS);
      try {
        var clients = new ArrayList<Callable<Void>>();
        for (int i = 0; i < CLIENTS; i++) {
          clients.add(new Client(dispatcher, collection, i));
        }
        for (Future<Void> client : pool.invokeAll(clients)) {
          client.get();
        }
      } finally {
        pool.shutdown();
      }
      assertThat(collection.partitions()).hasSizeGreaterThan(SPLITS);
      awaitQuiet(collection);
      verify(collection);
    }
  }

  /** Waits for the splits that are still due. */
  private static void awaitQuiet(CollectionStore collection) throws InterruptedException {
    while (collection.partitions().stream().anyMatch(one -> one.statistics().bytes() > LIMIT)) {
      Thread.sleep(20);
    }
  }

  /** Every document once, in the partition of its key, and counts that equal a recount. */
  private void verify(CollectionStore collection) {
    var found = new HashSet<String>();
    String end = "";
    for (PartitionStore partition : collection.partitions()) {
      assertThat(partition.range().minInclusive()).isEqualTo(end);
      end = partition.range().maxExclusive();
      long bytes = 0;
      long documents = 0;
      RecordCursor records = partition.scan(false);
      var meter = new WorkMeter();
      for (StoredDocument one = records.next(meter); one != null; one = records.next(meter)) {
        RawDocument document = one.document();
        assertThat(found.add(document.field("_id").asString())).isTrue();
        assertThat(collection.partitionOf(document.field("k")).id()).isEqualTo(partition.id());
        assertThat(document.field("n").asInt32()).isEqualTo(1);
        bytes += document.length();
        documents++;
      }
      assertThat(partition.statistics().bytes()).isEqualTo(bytes);
      assertThat(partition.statistics().documents()).isEqualTo(documents);
    }
    assertThat(end).isEqualTo("FF");
    assertThat(found).isEqualTo(acknowledged);
  }

  private final class Client implements Callable<Void> {
    private final Dispatcher dispatcher;
    private final CollectionStore collection;
    private final ClientConnection connection;
    private final int number;

    Client(Dispatcher dispatcher, CollectionStore collection, int number) {
      this.dispatcher = dispatcher;
      this.collection = collection;
      this.connection = new ClientConnection(number, "", "");
      this.number = number;
    }

    @Override
    public Void call() {
      boolean isEnough = false;
      for (int i = 0; i < DOCUMENTS_MAX && !isEnough; i++) {
        insertUpdateAndRead(number + "-" + i);
        if (i % 100 == 99) {
          scan();
        }
        isEnough = collection.partitions().size() > SPLITS;
      }
      return null;
    }

    private void insertUpdateAndRead(String id) {
      var document =
          new BsonDocument("_id", new BsonString(id))
              .append("k", new BsonString(id))
              .append("n", new BsonInt32(0))
              .append("fill", FILL);
      BsonDocument insert = BsonDocument.parse("{insert: 'a', documents: [], $db: 'shop'}");
      insert.getArray("documents").add(document);
      assertThat(run(insert).getInt32("n").getValue()).isEqualTo(1);
      acknowledged.add(id);
      String update =
          "{update: 'a', updates: [{q: {_id: '%s', k: '%s'}, u: {$inc: {n: 1}}}], $db: 'shop'}";
      assertThat(run(BsonDocument.parse(update.formatted(id, id))).getInt32("nModified").getValue())
          .isEqualTo(1);
      String find = "{find: 'a', filter: {_id: '%s', k: '%s'}, $db: 'shop'}";
      assertThat(batch(run(BsonDocument.parse(find.formatted(id, id))))).hasSize(1);
    }

    private void scan() {
      Set<String> before = Set.copyOf(acknowledged);
      var ids = new HashSet<String>();
      BsonDocument reply =
          run(
              BsonDocument.parse(
                  "{find: 'a', projection: {_id: 1}, batchSize: 100000, $db: 'shop'}"));
      for (BsonValue one : batch(reply)) {
        assertThat(ids.add(one.asDocument().getString("_id").getValue())).isTrue();
      }
      assertThat(ids).containsAll(before);
    }

    private List<BsonValue> batch(BsonDocument reply) {
      return reply.getDocument("cursor").getArray("firstBatch").getValues();
    }

    private BsonDocument run(BsonDocument command) {
      var request = Request.message(connection, RawDocument.of(command), List.of());
      BsonDocument reply = AwaitedReply.of(dispatcher, request);
      assertThat(reply.getDouble("ok").getValue()).as(reply.toString()).isEqualTo(1);
      assertThat(reply.containsKey("writeErrors")).as(reply.toString()).isFalse();
      return reply;
    }
  }
}
