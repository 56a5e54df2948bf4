package dev.orrery.server.command.cosmos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.CosmosFixture;
import dev.orrery.server.throughput.Provisioning;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A filter that no partition key can satisfy asks one partition, whoever looks at it. */
final class NoPossibleKeyTest {
  private static final List<String> IMPOSSIBLE =
      List.of(
          "{k: {$in: []}}",
          "{k: {$in: []}, _id: 5}",
          "{k: {$in: []}, _id: {$gt: 5}}",
          "{$and: [{k: 1}, {k: 2}]}",
          "{$and: [{k: {$in: [1, 2]}}, {k: {$in: [3, 4]}}]}",
          "{$or: [{k: {$in: []}}, {$and: [{k: 'a'}, {k: null}]}]}");

  /** What reads by a filter; all of them find nothing. */
  private static final List<String> COMMANDS =
      List.of(
          "{find: 'a', filter: %s}",
          "{find: 'a', filter: %s, sort: {x: 1}}",
          "{find: 'a', filter: %s, hint: '_id_'}",
          "{find: 'a', filter: %s, hint: {$natural: 1}}",
          "{count: 'a', query: %s}",
          "{distinct: 'a', key: 'x', query: %s}",
          "{aggregate: 'a', pipeline: [{$match: %s}], cursor: {}}",
          "{aggregate: 'a', pipeline: [{$match: %s}, {$group: {_id: '$x'}}], cursor: {}}",
          "{update: 'a', updates: [{q: %s, u: {$set: {x: 1}}, multi: true}]}",
          "{delete: 'a', deletes: [{q: %s, limit: 0}]}",
          "{findAndModify: 'a', query: %s, remove: true}",
          "{findAndModify: 'a', query: %s, update: {$set: {x: 1}}}");

  @TempDir Path directory;
  private CosmosFixture server;

  @BeforeEach
  void open() {
    server = new CosmosFixture(directory, new Provisioning(200, false));
    server.must(
        "{customAction: 'CreateCollection', collection: 'a', shardKey: 'k', offerThroughput: 800}");
    assertThat(server.partitions("a")).hasSize(4);
    for (int i = 0; i < 40; i++) {
      server.must("{insert: 'a', documents: [{_id: %d, k: %d, x: 1}]}".formatted(i, i));
      server.advanceMillis(1000);
    }
  }

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void theOnePartitionPays() {
    for (String filter : IMPOSSIBLE) {
      for (String command : COMMANDS) {
        Map<Integer, Double> before = charges();
        server.must(command.formatted(filter));
        Map<Integer, Double> after = charges();
        var charged = new TreeSet<Integer>();
        after.forEach(
            (id, units) -> charged.addAll(units > before.get(id) ? List.of(id) : List.of()));
        assertThat(charged).as(command + " of " + filter).containsExactly(first());
        server.advanceMillis(1000);
      }
    }
  }

  @Test
  void aPartitionThatIsNotAskedRefusesNothing() {
    intoDebt(false);
    for (String filter : IMPOSSIBLE) {
      for (String command : COMMANDS) {
        server.must(command.formatted(filter));
        assertThat(refused(first())).isZero();
      }
    }
  }

  @Test
  void theOneThatIsAskedDoes() {
    intoDebt(true);
    for (String filter : IMPOSSIBLE) {
      for (String command : COMMANDS) {
        BsonDocument reply = server.run(command.formatted(filter));
        assertThat(reply.toJson()).as(command + " of " + filter).contains("16500");
      }
    }
  }

  @Test
  void nothingIsReadForIt() {
    for (String filter : IMPOSSIBLE) {
      BsonDocument stats =
          server
              .must(
                  "{explain: {find: 'a', filter: %s}, verbosity: 'executionStats'}"
                      .formatted(filter))
              .getDocument("executionStats");
      assertThat(stats.getInt32("totalDocsExamined").getValue()).as(filter).isZero();
      assertThat(stats.getDocument("executionStages").getString("stage").getValue())
          .as(filter)
          .isEqualTo("SINGLE_SHARD");
    }
  }

  /** Spends more than there is, in the partition that such filters ask or in all others. */
  private void intoDebt(boolean first) {
    String text = "x".repeat(600_000);
    var done = new TreeSet<Integer>();
    for (int key = 100; done.size() < (first ? 1 : 3); key++) {
      int partition =
          server
              .must("{partitionOf: 'a', key: %d}".formatted(key))
              .getInt32("partition")
              .getValue();
      if ((partition == first()) == first && done.add(partition)) {
        server.must("{insert: 'a', documents: [{_id: 1, k: %d, x: '%s'}]}".formatted(key, text));
      }
    }
  }

  private int first() {
    return server.partitions("a").get(0).asDocument().getInt32("id").getValue();
  }

  private long refused(int partition) {
    return report().stream()
        .map(BsonValue::asDocument)
        .filter(one -> one.getInt32("id").getValue() == partition)
        .mapToLong(one -> one.getInt64("refused").getValue())
        .sum();
  }

  private Map<Integer, Double> charges() {
    var charges = new TreeMap<Integer, Double>();
    for (BsonValue one : report()) {
      BsonDocument partition = one.asDocument();
      charges.put(
          partition.getInt32("id").getValue(), partition.getDouble("requestCharge").getValue());
    }
    return charges;
  }

  private List<BsonValue> report() {
    return server.must("{ruStatistics: 'a'}").getArray("partitions");
  }
}
