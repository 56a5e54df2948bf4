package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.Names;
import dev.orrery.server.command.RawNumbers;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * What an aggregate asks for, as it was written.
 *
 * @param collection null for {@code {aggregate: 1}}
 * @param batchSize -1 when it was not given
 */
record AggregateParams(
    @Nullable String collection, List<BsonDocument> pipeline, long batchSize, Options options) {

  /** What changes how the pipeline runs, not which stages it has. */
  record Options(
      @Nullable RawDocument collation,
      @Nullable RawDocument let,
      @Nullable BsonValue hint,
      boolean isExplained,
      boolean usesDisk,
      boolean isUnchecked) {}

  static AggregateParams parse(String database, CommandReader body) {
    String collection = collection(database, body.value("aggregate"));
    List<BsonDocument> pipeline = pipeline(body);
    boolean isExplained = body.safeBool("explain", false);
    long batchSize = batchSize(body, isExplained);
    var options =
        new Options(
            body.rawDocument("collation"),
            body.rawDocument("let"),
            Hints.parse(body),
            isExplained,
            body.safeBool("allowDiskUse", true),
            body.safeBool("bypassDocumentValidation", false));
    if (body.has("needsMerge") || body.has("fromMongos")) {
      throw new CommandException(
          ErrorCode.FAILED_TO_PARSE, "Cannot specify 'needsMerge' without 'fromMongos'");
    }
    body.ignore("isMapReduceCommand", "requestReshardingResumeToken", "legacyRuntimeConstants");
    body.reject("exchange", "encryptionInformation", "collectionUUID");
    body.finish();
    return new AggregateParams(collection, pipeline, batchSize, options);
  }

  private static @Nullable String collection(String database, @Nullable RawValue value) {
    if (value != null && value.type() == RawTypes.STRING) {
      Names.requireNamespace(database, value.asString());
      return value.asString();
    }
    boolean isDatabase = value != null && value.isNumber() && RawNumbers.toLong(value) == 1;
    if (!isDatabase) {
      throw new CommandException(
          ErrorCode.FAILED_TO_PARSE,
          "Invalid command format: the 'aggregate' field must specify a collection name or 1");
    }
    return null;
  }

  private static List<BsonDocument> pipeline(CommandReader body) {
    var pipeline = new ArrayList<BsonDocument>();
    for (RawValue stage : body.requireArray("pipeline")) {
      if (!stage.isDocument()) {
        throw new CommandException(
            ErrorCode.TYPE_MISMATCH, "Each element of the 'pipeline' array must be an object");
      }
      pipeline.add(stage.asDocument().toBsonDocument());
    }
    return pipeline;
  }

  private static long batchSize(CommandReader body, boolean isExplained) {
    RawValue cursor = body.value("cursor");
    if (cursor == null) {
      if (!isExplained) {
        throw new CommandException(
            ErrorCode.FAILED_TO_PARSE,
            "The 'cursor' option is required, except for aggregate with the explain argument");
      }
      return -1;
    }
    if (!cursor.isDocument()) {
      throw new CommandException(
          ErrorCode.TYPE_MISMATCH, "cursor field must be missing or an object");
    }
    CommandReader options = CommandReader.of("cursor", cursor.asDocument());
    long batchSize = options.nonNegative("batchSize", -1);
    options.finish();
    return batchSize;
  }
}
