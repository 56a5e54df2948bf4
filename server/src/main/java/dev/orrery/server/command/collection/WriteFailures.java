package dev.orrery.server.command.collection;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.storage.WriteOutcome;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexKeyException;
import dev.orrery.value.RawDocument;
import java.util.List;
import org.bson.BsonArray;

/** What storage refused, in MongoDB's words, or in those of Cosmos DB where MongoDB has none. */
public final class WriteFailures {
  private static final List<String> UNITS = List.of("bytes", "KB", "MB", "GB");

  private WriteFailures() {}

  /**
   * The error of a write that cannot succeed by trying again.
   *
   * @param document what was to be written
   */
  public static CommandException of(
      WriteOutcome outcome, CollectionInfo info, RawDocument document) {
    return switch (outcome.status()) {
      case DUPLICATE ->
          DuplicateKeys.error(info.namespace(), outcome.index(), outcome.key(), document);
      case UNINDEXABLE -> unindexable(outcome.problem());
      case PARTITION_KEY_FULL ->
          new CommandException(
              ErrorCode.UNAUTHORIZED,
              "Partition key reached maximum size of %s. Learn more:"
                      .formatted(size(outcome.limitBytes()))
                  + " https://aka.ms/CosmosDB/sql/errors/full-pk");
      case APPLIED, CLAIMED, CONFLICT, NOT_APPLIED ->
          throw new IllegalArgumentException("not a failure: " + outcome);
    };
  }

  /** In the largest unit that gives a whole number, as "20 GB". */
  private static String size(long bytes) {
    long amount = bytes;
    int unit = 0;
    while (unit < UNITS.size() - 1 && amount % 1024 == 0) {
      amount /= 1024;
      unit++;
    }
    return amount + " " + UNITS.get(unit);
  }

  /** Why an index cannot take a document. */
  public static CommandException unindexable(IndexKeyException problem) {
    return switch (problem.reason()) {
      case PARALLEL_ARRAYS ->
          new CommandException(ErrorCode.CANNOT_INDEX_PARALLEL_ARRAYS, problem.getMessage());
      case AMBIGUOUS_FIELD ->
          new CommandException(
              ErrorCode.LOCATION_16746,
              problem.getMessage() + BsonText.stored(new BsonArray(values(problem.array()))));
      case HASHED_ARRAY -> new CommandException(ErrorCode.LOCATION_16766, problem.getMessage());
      case SPECIAL -> (CommandException) problem.getCause();
      case TOO_MANY_KEYS ->
          new CommandException(ErrorCode.CANNOT_BUILD_INDEX_KEYS, problem.getMessage());
    };
  }

  private static java.util.List<org.bson.BsonValue> values(RawDocument array) {
    return array.toValues().stream().map(value -> value.toBsonValue()).toList();
  }
}
