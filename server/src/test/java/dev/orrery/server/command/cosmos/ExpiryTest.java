package dev.orrery.server.command.cosmos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.CosmosFixture;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Documents are over at their moment for every read and write, whenever they are deleted. */
class ExpiryTest {
  private static final int ROUNDS_MAX = 50;

  private static final String LAST_CHANGE =
      "{createIndexes: 'c', indexes: [{key: {_ts: 1}, name: 't', expireAfterSeconds: 10}]}";
  private static final String BY_DATE =
      "{createIndexes: 'c', indexes: [{key: {at: 1}, name: 't', expireAfterSeconds: 10}]}";

  /** Ten seconds and a half after it begins. */
  private static final String AT = "{$date: '2026-01-01T00:00:00.500Z'}";

  @TempDir private Path directory;
  private CosmosFixture fixture;

  @AfterEach
  void close() {
    fixture.close();
  }

  private void open(boolean isCosmos) {
    fixture = isCosmos ? CosmosFixture.cosmos(directory) : CosmosFixture.extended(directory);
  }

  private void after(long seconds) {
    fixture.commands.nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
  }

  private void insert(String... documents) {
    fixture.must("{insert: 'c', documents: [%s]}".formatted(String.join(", ", documents)));
  }

  /** How many go, in as many rounds as it takes: an engine may say to look at one again. */
  private long deleted(long wanted) {
    long deleted = 0;
    for (int round = 0; round < ROUNDS_MAX && deleted < wanted; round++) {
      deleted += fixture.ttl.runOnce();
    }
    return deleted + fixture.ttl.runOnce();
  }

  private List<BsonValue> found(String filter) {
    return fixture
        .must("{find: 'c', filter: %s}".formatted(filter))
        .getDocument("cursor")
        .getArray("firstBatch");
  }

  private List<Integer> ids() {
    return found("{}").stream()
        .map(one -> one.asDocument().getInt32("_id").getValue())
        .sorted()
        .toList();
  }

  @Test
  void documentsVanishSoLongAfterTheirLastChange() {
    open(true);
    fixture.must(LAST_CHANGE);
    insert("{_id: 1}", "{_id: 2}");
    after(6);
    fixture.must("{update: 'c', updates: [{q: {_id: 2}, u: {$set: {x: 1}}}]}");
    after(5);
    assertThat(ids()).containsExactly(2);
    assertThat(found("{_id: 1}")).isEmpty();
    assertThat(fixture.must("{count: 'c'}").getInt32("n").getValue()).isEqualTo(1);
    assertThat(fixture.must("{distinct: 'c', key: '_id'}").getArray("values")).hasSize(1);
    after(5);
    assertThat(ids()).isEmpty();
    assertThat(deleted(2)).isEqualTo(2);
  }

  @Test
  void aDocumentsOwnTimeToLiveCountsInsteadIfItIsAWholeNumber() {
    open(true);
    fixture.must(LAST_CHANGE);
    insert("{_id: 1, ttl: -1}", "{_id: 2, ttl: 5}", "{_id: 3, ttl: NumberLong(100)}");
    insert("{_id: 4, ttl: 5.5}", "{_id: 5, ttl: '5'}", "{_id: 6, ttl: 5.0}");
    after(5);
    assertThat(ids()).containsExactly(1, 3, 4, 5);
    after(5);
    assertThat(ids()).containsExactly(1, 3);
    after(90);
    assertThat(ids()).containsExactly(1);
    assertThat(deleted(5)).isEqualTo(5);
    assertThat(ids()).containsExactly(1);
  }

  @Test
  void minusOneForTheCollectionLeavesItToDocuments() {
    open(true);
    fixture.must(LAST_CHANGE.replace("10", "-1"));
    insert("{_id: 1}", "{_id: 2, ttl: 5}");
    after(1_000_000);
    assertThat(ids()).containsExactly(1);
  }

  @Test
  void documentsThatWereThereBeforeTheIndexCountAsWrittenThen() {
    open(true);
    insert("{_id: 1}");
    after(100);
    fixture.must(LAST_CHANGE);
    after(9);
    assertThat(ids()).containsExactly(1);
    after(1);
    assertThat(ids()).isEmpty();
  }

  @Test
  void nobodySeesTheTimeOfTheLastChange() {
    open(true);
    fixture.must(LAST_CHANGE);
    insert("{_id: 1, _ts: 5}");
    assertThat(found("{_id: 1}")).containsExactly(BsonDocument.parse("{_id: 1}"));
    assertThat(found("{}")).containsExactly(BsonDocument.parse("{_id: 1}"));
    String change = "{findAndModify: 'c', query: {_id: 1}, update: {$set: {x: 1}}, new: true}";
    assertThat(fixture.must(change).getDocument("value"))
        .isEqualTo(BsonDocument.parse("{_id: 1, x: 1}"));
    fixture.must("{dropIndexes: 'c', index: 't'}");
    assertThat(found("{_id: 1}")).containsExactly(BsonDocument.parse("{_id: 1, x: 1}"));
    assertThat(found("{x: 1}")).containsExactly(BsonDocument.parse("{_id: 1, x: 1}"));
    assertThat(fixture.answer("{listIndexes: 'c'}")).doesNotContain("since");
  }

  @Test
  void anotherPathNeedsTheCapability() {
    open(true);
    assertThat(fixture.error(BY_DATE))
        .isEqualTo("2 BadValue: The 'expireAfterSeconds' option is supported on '_ts' field only.");
    fixture.commands.run("{setParameter: 1, cosmosRulesOff: 'ttl-path', $db: 'admin'}");
    fixture.must(BY_DATE);
    insert("{_id: 1, at: %s}".formatted(AT), "{_id: 2, at: 1767225600500.0}", "{_id: 3, at: 'x'}");
    after(10);
    assertThat(ids()).containsExactly(1, 2, 3);
    after(1);
    assertThat(ids()).containsExactly(3);
    assertThat(deleted(2)).isEqualTo(2);
  }

  @Test
  void updateCollectionChangesTheTime() {
    open(true);
    fixture.must(LAST_CHANGE);
    insert("{_id: 1}");
    fixture.must(
        "{customAction: 'UpdateCollection', collection: 'c', indexes: [{key: {_id: 1}, name:"
            + " '_id_'}, {key: {_ts: 1}, name: 't', expireAfterSeconds: 100}]}");
    after(99);
    assertThat(ids()).containsExactly(1);
    after(1);
    assertThat(ids()).isEmpty();
  }

  @Test
  void documentsVanishByTheirDateInTheOtherProfileToo() {
    open(false);
    fixture.must(BY_DATE);
    insert("{_id: 1, at: %s}".formatted(AT), "{_id: 2, at: 1767225600500.0}", "{_id: 3}");
    after(10);
    assertThat(ids()).containsExactly(1, 2, 3);
    after(1);
    assertThat(ids()).containsExactly(2, 3);
    assertThat(found("{_id: 1}")).isEmpty();
    assertThat(fixture.must("{count: 'c', query: {at: {$gt: %s}}}".formatted("{$date: 0}")))
        .containsEntry("n", new BsonInt32(0));
    assertThat(fixture.answer("{explain: {find: 'c', filter: {_id: {$gt: 0}}}}"))
        .contains("\"parsedQuery\": {\"_id\": {\"$gt\": 0}}");
  }

  @Test
  void whoStopsTheDeletionSeesWhatIsOver() {
    open(false);
    fixture.must(BY_DATE);
    insert("{_id: 1, at: %s}".formatted(AT));
    after(11);
    fixture.commands.run("{setParameter: 1, ttlMonitorEnabled: false, $db: 'admin'}");
    assertThat(ids()).containsExactly(1);
    fixture.commands.run("{setParameter: 1, ttlMonitorEnabled: true, $db: 'admin'}");
    assertThat(ids()).isEmpty();
  }

  @Test
  void whatIsOverIsInNobodysWay() {
    open(false);
    fixture.must(BY_DATE);
    fixture.must("{createIndexes: 'c', indexes: [{key: {u: 1}, name: 'u', unique: true}]}");
    insert("{_id: 1, u: 1, at: %s}".formatted(AT), "{_id: 2, u: 2, at: %s}".formatted(AT));
    insert("{_id: 3, u: 3, at: %s}".formatted(AT), "{_id: 9, u: 9}");
    after(11);
    insert("{_id: 1, u: 7}", "{_id: 5, u: 2}");
    fixture.must("{update: 'c', updates: [{q: {_id: 3}, u: {$set: {n: 1}}, upsert: true}]}");
    assertThat(ids()).containsExactly(1, 3, 5, 9);
    assertThat(fixture.answer("{insert: 'c', documents: [{_id: 9}]}")).contains("E11000");
  }
}
