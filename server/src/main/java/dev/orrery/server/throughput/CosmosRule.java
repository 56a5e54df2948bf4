package dev.orrery.server.throughput;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One thing in which Cosmos DB is stricter than MongoDB. All are in force in the profile cosmos,
 * and each can be switched off by its name, as an account's capability does there.
 */
public enum CosmosRule {
  /** A change stream tells neither of deletions nor what happened to a document. */
  CHANGE_STREAM_DELETES,
  /** A change stream tells of several changes of a document by the last one. */
  CHANGE_STREAM_FOLDING,
  /** Only collections can be watched. */
  CHANGE_STREAM_SCOPE,
  /** A change stream has a {@code $match}, then a {@code $project}, and looks documents up. */
  CHANGE_STREAM_STAGES,
  /** Resume tokens are JSON with ranges of partition keys, one for all events of a page. */
  CHANGE_STREAM_TOKENS,
  /** No collation, but the simple one. */
  COLLATION,
  /** {@code cloneCollectionAsCapped}, {@code collMod} and the like are refused (115). */
  COMMANDS,
  /** A compound index takes no nested paths. */
  COMPOUND_NESTED_PATHS,
  /** Collections get 400 RU/s when nobody says how much. */
  DEFAULT_THROUGHPUT,
  /** Documents have 2 MB at most, not 16 (capability EnableMongo16MBDocumentSupport). */
  DOCUMENT_SIZE,
  /** A document must have the shard key, and an update cannot change it. */
  DOCUMENT_SHARD_KEY,
  /** A duplicate key is told of without its index and its value. */
  DUPLICATE_KEY,
  /** No expressions and accumulators that came after MongoDB 4.2: {@code $dateAdd} ... */
  EXPRESSIONS,
  /** No text, 2d and hashed indexes, no sparse, partial and collated ones. */
  INDEX_KINDS,
  /** A compound index that is not unique has 8 paths at most. */
  INDEX_PATHS,
  /** An {@code _id} has 1,023 bytes at most, and the value of a shard key 2,048. */
  KEY_SIZES,
  /** An update of many documents is refused in the middle when no request units are left. */
  MULTI_UPDATES,
  /** Documents nest 128 levels deep at most. */
  NESTING,
  /** No operators that Cosmos DB lacks: {@code $where}, {@code $text}, {@code $bitsAllSet} ... */
  OPERATORS,
  /** No retryable writes (capability EnableMongoRetryableWrites). */
  RETRYABLE_WRITES,
  /** A database shares its throughput among 25 collections at most. */
  SHARED_COLLECTIONS,
  /** A collection in a database with shared throughput needs a shard key. */
  SHARED_SHARD_KEY,
  /** A sort needs an index; on several fields, one with just these fields in this order. */
  SORT_INDEX,
  /** No pipeline stages that Cosmos DB lacks: {@code $bucket}, {@code $graphLookup} ... */
  STAGES,
  /** An update or a deletion of one document must name its shard key. */
  TARGETED_WRITES,
  /** Transactions only on one collection without a shard key. */
  TRANSACTIONS,
  /** Documents expire by {@code _ts} only (capability EnableTtlOnCustomPath). */
  TTL_PATH,
  /**
   * Unique indexes: only on an empty collection, with the shard key, 10 of 16 paths of 60 bytes.
   */
  UNIQUE_INDEXES,
  /** Write concerns are read and have no effect. */
  WRITE_CONCERN;

  /** As users write it: {@code sort-index}. */
  public String ruleName() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * The rules of a list such as {@code sort-index,stages}; empty text is no rule, {@code all} is
   * all.
   */
  public static Set<CosmosRule> parse(String names) {
    var rules = EnumSet.noneOf(CosmosRule.class);
    for (String name : names.split(",", -1)) {
      if (name.isBlank()) {
        continue;
      }
      rules.addAll(find(name.strip()));
    }
    return rules;
  }

  private static List<CosmosRule> find(String name) {
    if (name.equals("all")) {
      return List.of(values());
    }
    List<CosmosRule> found =
        Arrays.stream(values()).filter(rule -> rule.ruleName().equals(name)).toList();
    if (found.isEmpty()) {
      String known =
          Arrays.stream(values()).map(CosmosRule::ruleName).collect(Collectors.joining(", "));
      throw new IllegalArgumentException("there is no rule '" + name + "', only " + known);
    }
    return found;
  }
}
