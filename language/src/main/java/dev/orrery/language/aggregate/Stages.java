package dev.orrery.language.aggregate;

import static java.util.Map.entry;

import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.aggregate.window.SetWindowFieldsStage;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Every stage by its name. */
final class Stages {
  /** Reads the specification of a stage; one that stands for others gives several. */
  interface Parser {
    List<Stage> parse(String name, BsonValue argument, PipelineContext context);
  }

  private static final Map<String, Parser> TABLE =
      Map.ofEntries( // sorted by name
          entry(PackBucketsStage.NAME, PackBucketsStage::parse),
          entry("$addFields", AddFieldsStage::parse),
          entry("$bucket", BucketStages::parse),
          entry("$bucketAuto", BucketAutoStage::parse),
          entry("$changeStream", ChangeStreamStage::parse),
          entry("$changeStreamSplitLargeEvent", SplitLargeEventStage::parse),
          entry("$collStats", SourceStage::parseCollectionStatistics),
          entry("$count", Shorthands::parseCount),
          entry("$currentOp", SourceStage::parseCurrentOperations),
          entry("$densify", DensifyParser::parse),
          entry("$documents", DocumentsStage::parse),
          entry("$facet", FacetStage::parse),
          entry("$fill", FillStages::parse),
          entry("$geoNear", GeoNearStage::parse),
          entry("$graphLookup", GraphLookupParser::parse),
          entry("$group", GroupStage::parse),
          entry("$indexStats", SourceStage::parseIndexStatistics),
          entry("$limit", LimitStage::parse),
          entry("$listLocalSessions", SourceStage::parseLocalSessions),
          entry("$listSessions", SourceStage::parseSessions),
          entry("$lookup", LookupParser::parse),
          entry("$match", MatchStage::parse),
          entry("$merge", MergeParser::parse),
          entry("$mergeCursors", Stages::refuseMergeCursors),
          entry("$out", OutStage::parse),
          entry("$planCacheStats", SourceStage::parsePlanCacheStatistics),
          entry("$project", ProjectStage::parse),
          entry("$queue", Stages::refuseQueue),
          entry("$redact", RedactStage::parse),
          entry("$replaceRoot", ReplaceRootStage::parse),
          entry("$replaceWith", ReplaceRootStage::parseWith),
          entry("$sample", SampleStage::parse),
          entry("$set", AddFieldsStage::parse),
          entry("$setWindowFields", SetWindowFieldsStage::parse),
          entry("$shardedDataDistribution", SourceStage::parseShardedData),
          entry("$skip", SkipStage::parse),
          entry("$sort", SortStage::parse),
          entry("$sortByCount", Shorthands::parseSortByCount),
          entry("$unionWith", UnionWithStage::parse),
          entry("$unset", ProjectStage::parseUnset),
          entry("$unwind", UnwindStage::parse));

  /** Known to MongoDB, not to us. */
  private static final Set<String> LACKING =
      Set.of(
          "$listSampledQueries",
          "$listSearchIndexes",
          "$queryStats",
          "$search",
          "$searchMeta",
          "$vectorSearch");

  private Stages() {}

  static Set<String> names() {
    return TABLE.keySet();
  }

  /** Refuses what is no stage at all. */
  static void requireForm(BsonDocument stage) {
    if (stage.size() != 1) {
      throw new CommandException(
          ErrorCode.LOCATION_40323,
          "A pipeline stage specification object must contain exactly one field.");
    }
    String name = stage.getFirstKey();
    if (LACKING.contains(name)) {
      throw new CommandException(
          ErrorCode.NOT_IMPLEMENTED, "pipeline stage '" + name + "' is not implemented yet");
    }
    if (!TABLE.containsKey(name)) {
      throw new CommandException(
          ErrorCode.LOCATION_40324, "Unrecognized pipeline stage name: '" + name + "'");
    }
  }

  /** The same with the stages of the pipelines inside. */
  static void requireNames(BsonDocument stage) {
    requireForm(stage);
    BsonValue argument = stage.get(stage.getFirstKey());
    if (argument.isDocument()) {
      BsonDocument options = argument.asDocument();
      switch (stage.getFirstKey()) {
        case "$facet" -> options.values().forEach(Stages::requireNames);
        case "$lookup", "$unionWith" -> requireNames(options.get("pipeline"));
        default -> {} // no pipeline inside
      }
    }
  }

  private static void requireNames(@Nullable BsonValue pipeline) {
    if (pipeline != null && pipeline.isArray()) {
      pipeline.asArray().stream()
          .filter(BsonValue::isDocument)
          .forEach(stage -> requireNames(stage.asDocument()));
    }
  }

  static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    return TABLE.get(name).parse(name, argument, context);
  }

  private static List<Stage> refuseQueue(String name, BsonValue argument, PipelineContext context) {
    // The quote that nobody opened is MongoDB's.
    throw new CommandException(
        ErrorCode.LOCATION_5491300, "$queue' is not allowed in user requests");
  }

  private static List<Stage> refuseMergeCursors(
      String name, BsonValue argument, PipelineContext context) {
    throw new CommandException(
        ErrorCode.LOCATION_17026, "$mergeCursors stage expected an object as argument");
  }
}
