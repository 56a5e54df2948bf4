package dev.orrery.server.command.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.limit.MemoryBudget;
import dev.orrery.server.command.CommandFixture;
import dev.orrery.server.command.DataFixture;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.session.SessionId;
import dev.orrery.server.store.TestEngines;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is to be read again, as its partition was split say, is neither lost nor left. */
class UnluckyWritesTest {
  private static final int DOCUMENTS = 1_800;

  @TempDir private Path directory;
  private DataFixture server;

  @BeforeEach
  void open() {
    server = new DataFixture(directory, MemoryBudget.unlimited(), TestEngines.unlucky());
  }

  @AfterEach
  void close() {
    server.close();
  }

  private void fill() {
    String documents =
        IntStream.range(0, DOCUMENTS)
            .mapToObj(id -> "{_id: %d, t: '%s'}".formatted(id, "t".repeat(100)))
            .collect(Collectors.joining(","));
    assertThat(server.run("{insert: 'c', documents: [" + documents + "]}").getInt32("n").getValue())
        .isEqualTo(DOCUMENTS);
  }

  private List<Integer> ids(String collection) {
    return server
        .run("{find: '" + collection + "', projection: {_id: 1}, batchSize: 10000}")
        .getDocument("cursor")
        .getArray("firstBatch")
        .stream()
        .map(BsonValue::asDocument)
        .map(document -> document.getInt32("_id").getValue())
        .toList();
  }

  private static List<Integer> from(int first) {
    return IntStream.range(first, DOCUMENTS).boxed().toList();
  }

  private long bytes(String collection) {
    return server.run("{collStats: '" + collection + "'}").getNumber("size").longValue();
  }

  @Test
  void aCappedCloneHasAllDocumentsInTheirOrder() {
    fill();
    String clone = "{cloneCollectionAsCapped: 'c', toCollection: 'd', size: 10000000}";
    assertThat(server.run(clone).getDouble("ok").getValue()).isOne();
    assertThat(ids("d")).isEqualTo(from(0));
  }

  @Test
  void aCollectionThatBecomesCappedLosesItsOldestDocumentsOnly() {
    for (int round = 0; round < 8; round++) {
      server.run("{drop: 'c'}");
      fill();
      long half = bytes("c") / 2;
      server.run("{convertToCapped: 'c', size: " + half + "}");
      assertThat(bytes("c")).isBetween(half * 95 / 100, half);
      assertThat(ids("c")).isEqualTo(from(DOCUMENTS - ids("c").size()));
    }
  }

  @Test
  void everyEntryOfTheProfileIsWritten() {
    var profiles = new ProfileCollections(new Databases(server.engine), ObjectId::new);
    for (int i = 0; i < 30; i++) {
      profiles.write("test", new BsonDocument("n", new BsonInt32(i)));
    }
    assertThat(server.run("{count: 'system.profile'}").getInt32("n").getValue()).isEqualTo(30);
  }

  @Test
  void nothingIsLeftOfSessionsThatEnded() {
    var clock = Clock.fixed(CommandFixture.NOW, ZoneOffset.UTC);
    var records = new RetryRecords(new Databases(server.engine), clock);
    for (int i = 0; i < 30; i++) {
      var session = new SessionId(new UUID(7, i), "");
      server.run(
          "{insert: 'c', documents: [{_id: %d}], lsid: {id: {$uuid: '%s'}}, txnNumber: %s}"
              .formatted(i, session.id(), "{$numberLong: '1'}"));
      assertThat(records.find(session, 0)).isNotNull();
      records.forget(session);
      assertThat(records.find(session, 0)).isNull();
    }
  }
}
