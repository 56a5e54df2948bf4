package dev.orrery.server.command.cosmos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.CosmosFixture;
import dev.orrery.server.throughput.CosmosRule;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every rule of the profile cosmos refuses what it is for, unless it is switched off. */
class CosmosRulesTest {
  private static final String SESSION =
      "lsid: {id: {$binary: {base64: 'AAAAAAAAAAAAAAAAAAAAAA==', subType: '04'}}},"
          + " txnNumber: {$numberLong: '%d'}";

  /** A rule, a request that it refuses, and how. */
  private record Refusal(CosmosRule rule, String request, String error) {}

  private static final List<Refusal> REFUSALS =
      List.of(
          new Refusal(
              CosmosRule.COLLATION,
              "{find: 'plain', collation: {locale: 'fr'}}",
              "2 BadValue: 'collation' isn't supported"),
          new Refusal(
              CosmosRule.COLLATION,
              "{update: 'plain', updates: [{q: {}, u: {$set: {a: 1}}, collation: {locale: 'fr'}}]}",
              "2 BadValue: 'collation' isn't supported"),
          new Refusal(
              CosmosRule.DUPLICATE_KEY,
              "{insert: 'filled', documents: [{_id: 1}]}",
              "11000 E11000 duplicate key error collection: shop.filled. Failed _id or unique index"
                  + " constraint."),
          new Refusal(
              CosmosRule.DUPLICATE_KEY,
              "{aggregate: 'filled', pipeline: [{$merge: {into: 'filled', whenMatched: 'fail'}}],"
                  + " cursor: {}}",
              "11000 DuplicateKey: PlanExecutor error during aggregation :: caused by :: E11000"
                  + " duplicate key error collection: shop.filled. Failed _id or unique index"
                  + " constraint."),
          new Refusal(
              CosmosRule.EXPRESSIONS,
              "{aggregate: 'plain', pipeline: [{$project: {x: {$dateAdd: {startDate: '$d', unit:"
                  + " 'day', amount: 1}}}}], cursor: {}}",
              "168 InvalidPipelineOperator: Unrecognized expression '$dateAdd'"),
          new Refusal(
              CosmosRule.INDEX_KINDS,
              "{createIndexes: 'wild', indexes: [{key: {'$**': 1}, name: 'w', wildcardProjection:"
                  + " {a: 1}}]}",
              "67 CannotCreateIndex: The 'wildcardProjection' option is not supported."),
          new Refusal(
              CosmosRule.INDEX_PATHS,
              "{createIndexes: 'wild', indexes: [{key: {a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1,"
                  + " h: 1, i: 1}, name: 'long'}]}",
              "67 CannotCreateIndex: A compound index can have at most 8 paths"),
          new Refusal(
              CosmosRule.KEY_SIZES,
              "{insert: 'plain', documents: [{_id: '" + "x".repeat(1024) + "'}]}",
              "2 The value of '_id' has 1024 bytes; 1023 is the most"),
          new Refusal(
              CosmosRule.KEY_SIZES,
              "{insert: 'sharded', documents: [{k: '" + "x".repeat(2049) + "'}]}",
              "2 The value of 'k' has 2049 bytes; 2048 is the most"),
          new Refusal(
              CosmosRule.NESTING,
              "{insert: 'plain', documents: [" + "{a: ".repeat(129) + "1" + "}".repeat(129) + "]}",
              "2 A document can have at most 128 nested levels"),
          new Refusal(
              CosmosRule.UNIQUE_INDEXES,
              "{customAction: 'UpdateCollection', collection: 'filled', indexes: [{key: {_id: 1}, name:"
                  + " '_id_'},"
                  + " {key: {w: 1}, name: 'w', unique: true}]}",
              "67 CannotCreateIndex: Cannot create unique index when collection contains"
                  + " documents"),
          new Refusal(
              CosmosRule.SHARED_SHARD_KEY,
              "{create: 'd', $db: 'together'}",
              "2 BadValue: Shared throughput collection should have a partition key"),
          new Refusal(
              CosmosRule.SHARED_SHARD_KEY,
              "{aggregate: 'filled', pipeline: [{$out: {db: 'together', coll: 'e'}}], cursor: {}}",
              "2 BadValue: PlanExecutor error during aggregation :: caused by :: Shared throughput"
                  + " collection should have a partition key"),
          new Refusal(
              CosmosRule.SHARED_SHARD_KEY,
              "{insert: 'f', documents: [{_id: 1}], $db: 'together'}",
              "2 BadValue: Shared throughput collection should have a partition key"),
          new Refusal(
              CosmosRule.COMMANDS,
              "{collMod: 'plain'}",
              "115 CommandNotSupported: Command collMod not supported"),
          new Refusal(
              CosmosRule.COMMANDS,
              "{cloneCollectionAsCapped: 'plain', toCollection: 'copy', size: 4096}",
              "115 CommandNotSupported: Command cloneCollectionAsCapped not supported"),
          new Refusal(
              CosmosRule.COMPOUND_NESTED_PATHS,
              "{createIndexes: 'plain', indexes: [{key: {'a.b': 1, c: 1}, name: 'nested'}]}",
              "67 CannotCreateIndex: Compound index does not currently support nested documents or"
                  + " arrays."),
          new Refusal(
              CosmosRule.INDEX_KINDS,
              "{createIndexes: 'plain', indexes: [{key: {a: 'hashed'}, name: 'hashed'}]}",
              "67 CannotCreateIndex: Indexes of type 'hashed' are not supported."),
          new Refusal(
              CosmosRule.INDEX_KINDS,
              "{createIndexes: 'plain', indexes: [{key: {b: 1}, name: 'sparse', sparse: true}]}",
              "67 CannotCreateIndex: The 'sparse' option is not supported."),
          new Refusal(
              CosmosRule.OPERATORS,
              "{find: 'plain', filter: {$or: [{a: {$bitsAllSet: 1}}]}}",
              "2 BadValue: unknown operator: $bitsAllSet"),
          new Refusal(
              CosmosRule.OPERATORS,
              "{aggregate: 'plain', pipeline: [{$match: {$jsonSchema: {}}}], cursor: {}}",
              "2 BadValue: unknown operator: $jsonSchema"),
          new Refusal(
              CosmosRule.RETRYABLE_WRITES,
              "{insert: 'plain', documents: [{}], " + SESSION.formatted(1) + "}",
              "2 BadValue: Retryable writes are not supported. Please disable retryable writes by"
                  + " specifying \"retrywrites=false\" in the connection string or an equivalent"
                  + " driver specific config."),
          new Refusal(
              CosmosRule.SORT_INDEX,
              "{find: 'plain', sort: {a: 1}}",
              "2 BadValue: The index path corresponding to the specified order-by item is"
                  + " excluded."),
          new Refusal(
              CosmosRule.SORT_INDEX,
              "{aggregate: 'plain', pipeline: [{$match: {}}, {$sort: {x: 1, y: 1}}], cursor: {}}",
              "2 BadValue: The order by query does not have a corresponding composite index that it"
                  + " can be served from."),
          new Refusal(
              CosmosRule.STAGES,
              "{aggregate: 'plain', pipeline: [{$unionWith: 'plain'}], cursor: {}}",
              "40324 Location40324: Unrecognized pipeline stage name: '$unionWith'"),
          new Refusal(
              CosmosRule.STAGES,
              "{aggregate: 'plain', pipeline: [{$lookup: {from: 'plain', let: {}, pipeline: [],"
                  + " as: 'x'}}], cursor: {}}",
              "2 BadValue: `let` isn't supported"),
          new Refusal(
              CosmosRule.TRANSACTIONS,
              "{find: 'sharded', startTransaction: true, autocommit: false, "
                  + SESSION.formatted(2)
                  + "}",
              "50841 Location50841: Multi-document transactions cannot be run in a sharded"
                  + " collection"),
          new Refusal(
              CosmosRule.UNIQUE_INDEXES,
              "{createIndexes: 'filled', indexes: [{key: {u: 1}, name: 'u', unique: true}]}",
              "67 CannotCreateIndex: Cannot create unique index when collection contains"
                  + " documents"),
          new Refusal(
              CosmosRule.DOCUMENT_SHARD_KEY,
              "{insert: 'sharded', documents: [{_id: 1}]}",
              "61 document does not contain shard key at 'k'"),
          new Refusal(
              CosmosRule.TARGETED_WRITES,
              "{delete: 'sharded', deletes: [{q: {_id: 9}, limit: 1}]}",
              "61 query in command must target a single shard key"),
          new Refusal(
              CosmosRule.DOCUMENT_SIZE,
              "{insert: 'plain', documents: [{x: '" + "x".repeat(2 << 20) + "'}]}",
              "16 Error=16, Details='Response status code does not indicate success:"
                  + " RequestEntityTooLarge (413); Substatus: 0; Reason: (Message: {\"Errors\":"
                  + "[\"Request size is too large\"]})"),
          new Refusal(
              CosmosRule.SHARED_SHARD_KEY,
              "{customAction: 'CreateCollection', collection: 'c', $db: 'together'}",
              "2 BadValue: Shared throughput collection should have a partition key"));

  @TempDir Path directory;

  @Test
  void everyRuleRefusesAndCanBeSwitchedOff() {
    try (var fixture = CosmosFixture.cosmos(directory)) {
      fixture.must("{create: 'plain'}");
      fixture.must("{shardCollection: 'shop.sharded', key: {k: 'hashed'}}");
      fixture.must("{insert: 'filled', documents: [{_id: 1, u: 1}]}");
      fixture.must("{customAction: 'CreateDatabase', offerThroughput: 400, $db: 'together'}");
      for (Refusal refusal : REFUSALS) {
        fixture.advanceMillis(60_000);
        assertThat(error(fixture, refusal)).isEqualTo(refusal.error);
        switchOff(fixture, refusal.rule.ruleName());
        assertThat(error(fixture, refusal)).isNotEqualTo(refusal.error);
        switchOff(fixture, "");
      }
    }
  }

  private static void switchOff(CosmosFixture fixture, String rules) {
    fixture.must("{setParameter: 1, cosmosRulesOff: '%s', $db: 'admin'}".formatted(rules));
  }

  private static String error(CosmosFixture fixture, Refusal refusal) {
    BsonDocument reply = fixture.run(refusal.request);
    if (reply.containsKey("writeErrors")) {
      BsonDocument error = reply.getArray("writeErrors").get(0).asDocument();
      return error.getInt32("code").getValue() + " " + error.getString("errmsg").getValue();
    }
    return reply.containsKey("errmsg")
        ? "%d %s: %s"
            .formatted(
                reply.getInt32("code").getValue(),
                reply.getString("codeName").getValue(),
                reply.getString("errmsg").getValue())
        : "";
  }

  @Test
  void everyRuleIsShown() {
    var shown =
        EnumSet.of( // below
            CosmosRule.DEFAULT_THROUGHPUT, CosmosRule.SHARED_COLLECTIONS, CosmosRule.WRITE_CONCERN);
    shown.add(CosmosRule.MULTI_UPDATES); // by RateLimitTest
    shown.add(CosmosRule.TTL_PATH); // by ExpiryTest
    for (CosmosRule rule : CosmosRule.values()) {
      if (rule.name().startsWith("CHANGE_STREAM_")) {
        shown.add(rule); // by CosmosStreamTest
      }
    }
    REFUSALS.forEach(refusal -> shown.add(refusal.rule));
    assertThat(shown).containsExactlyInAnyOrder(CosmosRule.values());
  }

  @Test
  void theDefaultThroughputIsARuleToo() {
    try (var fixture = CosmosFixture.cosmos(directory)) {
      fixture.must("{create: 'limited'}");
      switchOff(fixture, "default-throughput");
      fixture.must("{create: 'unlimited'}");
      assertThat(fixture.answer("{customAction: 'GetCollection', collection: 'limited'}"))
          .contains("\"provisionedThroughput\": 400");
      assertThat(fixture.answer("{customAction: 'GetCollection', collection: 'unlimited'}"))
          .doesNotContain("provisionedThroughput");
    }
  }

  @Test
  void writeConcernsHaveNoEffect() {
    try (var fixture = CosmosFixture.cosmos(directory)) {
      String insert = "{insert: 'a', documents: [{}], writeConcern: {w: 2}}";
      assertThat(fixture.must(insert)).doesNotContainKey("writeConcernError");
      switchOff(fixture, "write-concern");
      assertThat(fixture.must(insert)).containsKey("writeConcernError");
    }
  }

  @Test
  void aDatabaseSharesItsThroughputAmong25Collections() {
    try (var fixture = CosmosFixture.cosmos(directory)) {
      fixture.must("{customAction: 'CreateDatabase', offerThroughput: 400}");
      String create = "{customAction: 'CreateCollection', collection: 'c%d', shardKey: 'k'%s}";
      for (int i = 1; i <= 25; i++) {
        fixture.must(create.formatted(i, ""));
      }
      assertThat(fixture.error(create.formatted(26, "")))
          .isEqualTo(
              "2 BadValue: A database shares its throughput among 25 collections at most; give"
                  + " this one its own");
      fixture.must(create.formatted(26, ", offerThroughput: 400"));
      switchOff(fixture, "shared-collections");
      fixture.must(create.formatted(27, ""));
    }
  }

  @Test
  void nothingIsRefusedInTheExtendedProfile() {
    try (var fixture = CosmosFixture.extended(directory)) {
      fixture.must("{create: 'plain'}");
      fixture.must("{shardCollection: 'shop.sharded', key: {k: 'hashed'}}");
      fixture.must("{insert: 'filled', documents: [{_id: 1, u: 1}]}");
      fixture.must("{customAction: 'CreateDatabase', offerThroughput: 400, $db: 'together'}");
      for (Refusal refusal : REFUSALS) {
        assertThat(error(fixture, refusal)).isNotEqualTo(refusal.error);
      }
    }
  }

  @Test
  void sortsWithTheirIndexAreServed() {
    try (var fixture = CosmosFixture.cosmos(directory)) {
      fixture.must("{shardCollection: 'shop.a', key: {k: 'hashed'}}");
      fixture.must(
          "{createIndexes: 'a', indexes: [{key: {x: 1, y: -1}, name: 'xy'}, {key: {z: 1}, name:"
              + " 'z'}, {key: {'w.$**': 1}, name: 'w'}]}");
      for (String sort :
          Arrays.asList("_id: -1", "k: 1", "x: 1, y: -1", "x: -1, y: 1", "z: -1", "'w.q': 1")) {
        fixture.advanceMillis(1_000);
        fixture.must("{find: 'a', sort: {%s}}".formatted(sort));
      }
      for (String sort : List.of("x: 1", "x: 1, y: 1", "y: -1, x: 1", "x: 1, y: -1, z: 1")) {
        assertThat(fixture.error("{find: 'a', sort: {%s}}".formatted(sort))).startsWith("2 ");
      }
      fixture.must("{find: 'chunks', sort: {min: 1}, $db: 'config'}");
    }
  }

  @Test
  void anUnknownRuleIsRefused() {
    try (var fixture = CosmosFixture.cosmos(directory)) {
      assertThat(fixture.error("{setParameter: 1, cosmosRulesOff: 'nonsense', $db: 'admin'}"))
          .startsWith(
              "2 BadValue: cosmosRulesOff: there is no rule 'nonsense', only change-stream-deletes, ");
      fixture.must("{setParameter: 1, cosmosRulesOff: 'all', $db: 'admin'}");
      fixture.must("{create: 'a'}");
      fixture.must("{find: 'a', sort: {x: 1}}");
    }
  }
}
