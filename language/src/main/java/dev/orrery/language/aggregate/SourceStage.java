package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.aggregate.stage.StageFailures;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.number.Numbers;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Stages that tell about the server or a collection; they make documents out of nothing. */
record SourceStage(String name, BsonDocument specification, Set<Trait> traits, Source source)
    implements Stage {
  private static final Set<String> CURRENT_OPERATION_OPTIONS =
      Set.of(
          "allUsers",
          "backtrace",
          "idleConnections",
          "idleCursors",
          "idleSessions",
          "localOps",
          "targetAllNodes",
          "truncateOps");

  private static final Set<Trait> ON_COLLECTION = Set.of(Trait.FIRST, Trait.NOT_IN_FACET);
  private static final Set<Trait> ON_DATABASE =
      Set.of(
          Trait.FIRST,
          Trait.NO_COLLECTION,
          Trait.NOT_IN_FACET,
          Trait.NOT_IN_LOOKUP,
          Trait.NOT_IN_UNION);

  /** Where the documents come from. */
  interface Source {
    List<BsonDocument> documents(PipelineRun run);
  }

  static List<Stage> parseCollectionStatistics(
      String name, BsonValue argument, PipelineContext context) {
    if (!argument.isDocument()) {
      throw new CommandException(
          ErrorCode.LOCATION_5447000,
          "$collStats must take a nested object but found: " + BsonText.element(name, argument));
    }
    BsonDocument options = argument.asDocument();
    requireCollectionOptions(options);
    return stage(
        name,
        options,
        ON_COLLECTION,
        run -> List.of(run.environment().collectionStatistics(context.namespace(), options)));
  }

  private static void requireCollectionOptions(BsonDocument options) {
    for (String part : List.of("latencyStats", "storageStats", "count", "queryExecStats")) {
      StageFailures.typed("$collStats", options, part, BsonType.DOCUMENT);
    }
    StageFailures.requireKnown(
        "$collStats", options, List.of("count", "latencyStats", "storageStats", "queryExecStats"));
    BsonDocument latencies = options.getDocument("latencyStats", new BsonDocument());
    StageFailures.typed("$collStats.latencyStats", latencies, "histograms", BsonType.BOOLEAN);
    StageFailures.requireKnown("$collStats.latencyStats", latencies, List.of("histograms"));
    BsonDocument storage = options.getDocument("storageStats", new BsonDocument());
    StageFailures.requireKnown(
        "$collStats.storageStats",
        storage,
        List.of("scale", "verbose", "waitForLock", "numericOnly"));
    BsonValue scale = storage.get("scale");
    if (scale != null && !scale.isNumber() && !scale.isNull()) {
      throw StageFailures.typeMismatch(
          "BSON field '$collStats.storageStats.scale' is the wrong type '%s', expected types '[%s']"
              .formatted(BsonText.typeName(scale), "long, int, decimal, double"));
    }
    if (scale != null && scale.isNumber() && Numbers.toLong(scale) < 1) {
      throw new CommandException(
          ErrorCode.LOCATION_51024,
          "BSON field 'scale' value must be >= 1, actual value '%d'"
              .formatted(Numbers.toLong(scale)));
    }
  }

  static List<Stage> parseIndexStatistics(
      String name, BsonValue argument, PipelineContext context) {
    if (!argument.isDocument() || !argument.asDocument().isEmpty()) {
      throw new CommandException(
          ErrorCode.LOCATION_28803, "The $indexStats stage specification must be an empty object");
    }
    return stage(
        name,
        argument,
        ON_COLLECTION,
        run -> run.environment().indexStatistics(context.namespace()));
  }

  static List<Stage> parsePlanCacheStatistics(
      String name, BsonValue argument, PipelineContext context) {
    if (!argument.isDocument()) {
      throw StageFailures.failedToParse(
          "$planCacheStats value must be an object. Found: " + BsonText.typeName(argument));
    }
    if (!argument.asDocument().isEmpty()) {
      throw StageFailures.failedToParse(
          "$planCacheStats parameters object must be empty or contain only 'allHosts'");
    }
    return stage(
        name, argument, ON_COLLECTION, run -> run.environment().planCache(context.namespace()));
  }

  static List<Stage> parseCurrentOperations(
      String name, BsonValue argument, PipelineContext context) {
    if (context.hasCollection() || !context.database().equals("admin")) {
      throw new CommandException(
          ErrorCode.INVALID_NAMESPACE,
          "$currentOp must be run against the 'admin' database with {aggregate: 1}");
    }
    if (!argument.isDocument()) {
      throw StageFailures.failedToParse(
          "$currentOp options must be specified in an object, but found: "
              + BsonText.typeName(argument));
    }
    argument.asDocument().forEach(SourceStage::requireOption);
    return stage(
        name,
        argument,
        ON_DATABASE,
        run -> run.environment().currentOperations(argument.asDocument()));
  }

  private static void requireOption(String name, BsonValue value) {
    if (!CURRENT_OPERATION_OPTIONS.contains(name)) {
      throw StageFailures.failedToParse(
          "Unrecognized option '%s' in $currentOp stage.".formatted(name));
    }
    if (!value.isBoolean()) {
      throw StageFailures.failedToParse(
          "The '%s' parameter of the $currentOp stage must be a boolean value, but found: %s"
              .formatted(name, BsonText.typeName(value)));
    }
  }

  static List<Stage> parseShardedData(String name, BsonValue argument, PipelineContext context) {
    if (context.hasCollection() || !context.database().equals("admin")) {
      throw new CommandException(
          ErrorCode.INVALID_NAMESPACE,
          name + " must be run against the 'admin' database with {aggregate: 1}");
    }
    if (!argument.isDocument() || !argument.asDocument().isEmpty()) {
      throw new CommandException(
          ErrorCode.LOCATION_6789100,
          "The " + name + " stage specification must be an empty object");
    }
    return stage(name, argument, ON_DATABASE, run -> run.environment().shardedData());
  }

  static List<Stage> parseSessions(String name, BsonValue argument, PipelineContext context) {
    boolean isConfig = context.namespace().toString().equals("config.system.sessions");
    if (!isConfig) {
      throw new CommandException(
          ErrorCode.INVALID_NAMESPACE,
          "$listSessions may only be run against config.system.sessions");
    }
    List<String> owners = owners(name, argument);
    return stage(name, argument, ON_COLLECTION, run -> run.environment().sessions(owners));
  }

  static List<Stage> parseLocalSessions(String name, BsonValue argument, PipelineContext context) {
    if (context.hasCollection()) {
      throw new CommandException(
          ErrorCode.INVALID_NAMESPACE,
          "$listLocalSessions must be run against the database with {aggregate: 1}, not a"
              + " collection");
    }
    List<String> owners = owners(name, argument);
    return stage(name, argument, ON_DATABASE, run -> run.environment().sessions(owners));
  }

  /** Whose sessions: null for everybody's, none for one's own. */
  private static @Nullable List<String> owners(String name, BsonValue argument) {
    if (!argument.isDocument()) {
      throw StageFailures.typeMismatch(
          name
              + " options must be specified in an object, but found: "
              + BsonText.typeName(argument));
    }
    BsonDocument options = argument.asDocument();
    StageFailures.requireKnown(name, options, List.of("users", "allUsers"));
    BsonValue users = StageFailures.typed(name, options, "users", BsonType.ARRAY);
    BsonValue all = StageFailures.typed(name, options, "allUsers", BsonType.BOOLEAN);
    List<String> owners = new ArrayList<>();
    if (users != null) {
      users.asArray().forEach(user -> owners.add(owner(name + ".users", user)));
    }
    if (all == null || !all.asBoolean().getValue()) {
      return owners;
    }
    if (!owners.isEmpty()) {
      throw new CommandException(
          ErrorCode.UNSUPPORTED_FORMAT,
          name + " may not specify {allUsers:true} and {users:[...]} at the same time");
    }
    return null;
  }

  private static String owner(String path, BsonValue user) {
    if (!user.isDocument()) {
      throw StageFailures.wrongType(path + ".0", user, "object");
    }
    BsonDocument fields = user.asDocument();
    StageFailures.requireKnown(path, fields, List.of("user", "db"));
    BsonValue name = StageFailures.typed(path, fields, "user", BsonType.STRING);
    BsonValue database = StageFailures.typed(path, fields, "db", BsonType.STRING);
    if (name == null || database == null) {
      throw StageFailures.missing(path + (name == null ? ".user" : ".db"));
    }
    return name.asString().getValue() + "@" + database.asString().getValue();
  }

  private static List<Stage> stage(
      String name, BsonValue argument, Set<Trait> traits, Source source) {
    return List.of(new SourceStage(name, new BsonDocument(name, argument), traits, source));
  }

  @Override
  public DocumentStream open(DocumentStream input, PipelineRun run) {
    return new DocumentStream() {
      private @Nullable Iterator<BsonDocument> documents;

      @Override
      public @Nullable BsonDocument next() {
        if (documents == null) {
          documents = source.documents(run).iterator();
        }
        return documents.hasNext() ? documents.next() : null;
      }
    };
  }
}
