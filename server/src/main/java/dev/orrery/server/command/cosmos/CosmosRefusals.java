package dev.orrery.server.command.cosmos;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.Request;
import dev.orrery.server.command.RequestRules;
import dev.orrery.server.command.RequestSequence;
import dev.orrery.server.command.SessionFields;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.server.throughput.CosmosRule;
import dev.orrery.server.throughput.CosmosRules;
import dev.orrery.storage.CollectionStore;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Requests that Cosmos DB for MongoDB refuses and MongoDB does not: commands, stages and operators
 * that it lacks, sorts without an index, retryable writes, transactions over partitions. Each kind
 * is a {@link CosmosRule}. What tools ask the databases of the system is never refused.
 */
public final class CosmosRefusals implements RequestRules {
  private static final Set<String> COMMANDS =
      Set.of(
          "cloneCollectionAsCapped",
          "collMod",
          "connPoolStats",
          "convertToCapped",
          "dataSize",
          "datasize",
          "features",
          "killOp",
          "mapReduce",
          "mapreduce",
          "profile",
          "renameCollection",
          "top");

  /**
   * Requests about databases, collections and indexes, which an account has units of its own for.
   */
  private static final Set<String> METADATA =
      Set.of(
          "collMod",
          "create",
          "createIndexes",
          "customAction",
          "deleteIndexes",
          "drop",
          "dropDatabase",
          "dropIndexes",
          "listCollections",
          "listDatabases",
          "listIndexes",
          "renameCollection",
          "shardCollection");

  private static final Set<String> STAGES =
      Set.of(
          "$bucket",
          "$bucketAuto",
          "$collStats",
          "$densify",
          "$documents",
          "$fill",
          "$graphLookup",
          "$indexStats",
          "$listLocalSessions",
          "$listSessions",
          "$setWindowFields",
          "$unionWith");

  private static final Set<String> OPERATORS =
      Set.of(
          "$bitsAllClear",
          "$bitsAllSet",
          "$bitsAnyClear",
          "$bitsAnySet",
          "$box",
          "$center",
          "$centerSphere",
          "$jsonSchema",
          "$meta",
          "$polygon",
          "$text",
          "$where");

  /** None of them is in the lists of what Cosmos DB supports. */
  private static final Set<String> EXPRESSIONS =
      Set.of(
          "$accumulator",
          "$binarySize",
          "$bitAnd",
          "$bitNot",
          "$bitOr",
          "$bitXor",
          "$bottom",
          "$bottomN",
          "$bsonSize",
          "$dateAdd",
          "$dateDiff",
          "$dateSubtract",
          "$dateTrunc",
          "$firstN",
          "$function",
          "$getField",
          "$isNumber",
          "$lastN",
          "$maxN",
          "$median",
          "$minN",
          "$percentile",
          "$rand",
          "$replaceAll",
          "$replaceOne",
          "$sampleRate",
          "$setField",
          "$sortArray",
          "$top",
          "$topN",
          "$tsIncrement",
          "$tsSecond",
          "$unsetField");

  private static final Set<String> SYSTEM = Set.of("admin", "config", "local");
  private static final int DEPTH_MAX = 100;
  private static final byte[] DOCUMENTS = "documents".getBytes(StandardCharsets.UTF_8);
  private static final byte[] INDEXES = "indexes".getBytes(StandardCharsets.UTF_8);

  private final Databases databases;
  private final CosmosRules rules;

  public CosmosRefusals(Databases databases) {
    this.databases = databases;
    this.rules = databases.provisioning().rules();
  }

  @Override
  public void require(Request request, String database, SessionFields session) {
    if (METADATA.contains(commandName(request.body()))) {
      rules.account().admitMetadata();
    }
    if (rules.isIdle()) {
      return;
    }
    new Inspection(explained(request.body()), database).require(request, session);
  }

  @Override
  public boolean ignoresWriteConcern() {
    return rules.isInForce(CosmosRule.WRITE_CONCERN);
  }

  private static boolean isSimple(RawDocument collation) {
    RawValue locale = collation.field("locale");
    return collation.isEmpty()
        || locale != null && locale.type() == RawTypes.STRING && locale.asString().equals("simple");
  }

  private static RawDocument explained(RawDocument body) {
    RawValue inner = body.field("explain");
    return inner != null && inner.isDocument() ? inner.asDocument() : body;
  }

  private static String commandName(RawDocument body) {
    RawElements elements = body.elements();
    return elements.next() ? elements.name() : "";
  }

  /** A sort of what the collection holds; behind other stages than these it is done in memory. */
  private static @Nullable RawValue firstSort(@Nullable RawValue pipeline) {
    if (pipeline == null || !pipeline.isArray()) {
      return null;
    }
    RawElements stages = pipeline.asDocument().elements();
    while (stages.next() && stages.type() == RawTypes.DOCUMENT) {
      RawElements stage = stages.value().asDocument().elements();
      if (!stage.next()) {
        return null;
      }
      if (stage.name().equals("$sort")) {
        return stage.value();
      }
      if (!stage.name().equals("$match")) {
        return null;
      }
    }
    return null;
  }

  /** One request that is looked through. */
  private final class Inspection {
    private final RawDocument body;
    private final String database;
    private final String place;

    Inspection(RawDocument body, String database) {
      this.body = body;
      this.database = database;
      RawElements first = body.elements();
      boolean hasName = first.next() && first.type() == RawTypes.STRING;
      this.place = hasName ? database + "." + first.value().asString() : database;
    }

    private void refuse(CosmosRule rule, CommandException refusal) {
      rules.refuse(rule, place, refusal);
    }

    void require(Request request, SessionFields session) {
      String name = commandName(body);
      if (COMMANDS.contains(name)) {
        refuse(
            CosmosRule.COMMANDS,
            new CommandException(
                ErrorCode.COMMAND_NOT_SUPPORTED, "Command " + name + " not supported"));
      }
      requireSession(session);
      if (SYSTEM.contains(database)) {
        return;
      }
      requireStages(body.field("pipeline"), 0);
      requireOperators(body);
      requireNoCollation(body);
      for (RequestSequence sequence : request.sequences()) {
        if (!sequence.name().equals("documents")) {
          sequence.documents().forEach(this::requireOperators);
          sequence.documents().forEach(this::requireNoCollation);
        }
      }
      requireSort();
    }

    private void requireSession(SessionFields session) {
      if (session.txnNumber() == null) {
        return;
      }
      if (!session.isTransaction()) {
        refuse(
            CosmosRule.RETRYABLE_WRITES,
            new CommandException(
                ErrorCode.BAD_VALUE,
                "Retryable writes are not supported. Please disable retryable writes by specifying"
                    + " \"retrywrites=false\" in the connection string or an equivalent driver"
                    + " specific config."));
        return;
      }
      CollectionStore collection = collection();
      if (collection != null && collection.info().partitionKey() != null) {
        refuse(
            CosmosRule.TRANSACTIONS,
            new CommandException(
                ErrorCode.LOCATION_50841,
                "Multi-document transactions cannot be run in a sharded collection"));
      }
    }

    private @Nullable CollectionStore collection() {
      RawElements elements = body.elements();
      boolean hasName = elements.next() && elements.type() == RawTypes.STRING;
      return hasName
          ? databases.engine().find(new Namespace(database, elements.value().asString()))
          : null;
    }

    private void requireStages(@Nullable RawValue pipeline, int depth) {
      if (pipeline == null || !pipeline.isArray() || depth > DEPTH_MAX) {
        return;
      }
      RawElements stages = pipeline.asDocument().elements();
      while (stages.next()) {
        if (stages.type() != RawTypes.DOCUMENT) {
          continue;
        }
        RawElements stage = stages.value().asDocument().elements();
        if (stage.next()) {
          requireStage(stage.name(), stage.value(), depth);
        }
      }
    }

    private void requireStage(String name, RawValue argument, int depth) {
      if (!rules.concerns(CosmosRule.STAGES)) {
        return;
      }
      if (STAGES.contains(name)) {
        refuse(
            CosmosRule.STAGES,
            new CommandException(
                ErrorCode.LOCATION_40324, "Unrecognized pipeline stage name: '" + name + "'"));
      }
      if (!argument.isDocument()) {
        return;
      }
      if (name.equals("$lookup")) {
        for (String field : new String[] {"let", "pipeline"}) {
          if (argument.asDocument().field(field) != null) {
            refuse(
                CosmosRule.STAGES,
                new CommandException(ErrorCode.BAD_VALUE, "`%s` isn't supported".formatted(field)));
          }
        }
      } else if (name.equals("$facet")) {
        RawElements facets = argument.asDocument().elements();
        while (facets.next()) {
          requireStages(facets.value(), depth + 1);
        }
      }
    }

    /** Neither for the whole command nor for one of its updates or deletions. */
    private void requireNoCollation(RawDocument fields) {
      RawValue collation = fields.field("collation");
      if (collation != null && collation.isDocument() && !isSimple(collation.asDocument())) {
        refuse(
            CosmosRule.COLLATION,
            new CommandException(ErrorCode.BAD_VALUE, "'collation' isn't supported"));
      }
      for (String statements : new String[] {"updates", "deletes"}) {
        RawValue list = fields.field(statements);
        if (list != null && list.isArray()) {
          list.asDocument().toValues().stream()
              .filter(RawValue::isDocument)
              .forEach(statement -> requireNoCollation(statement.asDocument()));
        }
      }
    }

    private void requireOperators(RawDocument body) {
      if (!rules.concerns(CosmosRule.OPERATORS) && !rules.concerns(CosmosRule.EXPRESSIONS)) {
        return;
      }
      RawElements fields = body.elements();
      while (fields.next()) {
        boolean isData = fields.nameEquals(DOCUMENTS) || fields.nameEquals(INDEXES);
        if (!isData && (fields.type() == RawTypes.DOCUMENT || fields.type() == RawTypes.ARRAY)) {
          requireOperators(fields.value().asDocument(), 0);
        }
      }
    }

    private void requireOperators(RawDocument document, int depth) {
      RawElements fields = document.elements();
      while (fields.next()) {
        String name = fields.name();
        if (name.startsWith("$") && OPERATORS.contains(name)) {
          refuse(
              CosmosRule.OPERATORS,
              new CommandException(ErrorCode.BAD_VALUE, "unknown operator: " + name));
        }
        if (name.startsWith("$") && EXPRESSIONS.contains(name)) {
          refuse(
              CosmosRule.EXPRESSIONS,
              new CommandException(
                  ErrorCode.INVALID_PIPELINE_OPERATOR, "Unrecognized expression '" + name + "'"));
        }
        boolean isNested = fields.type() == RawTypes.DOCUMENT || fields.type() == RawTypes.ARRAY;
        if (isNested && depth < DEPTH_MAX && !name.equals("$literal")) {
          requireOperators(fields.value().asDocument(), depth + 1);
        }
      }
    }

    private void requireSort() {
      if (!rules.concerns(CosmosRule.SORT_INDEX)) {
        return;
      }
      RawValue sort = body.field("sort");
      if (sort == null) {
        sort = firstSort(body.field("pipeline"));
      }
      CollectionStore collection = collection();
      if (sort != null && sort.isDocument() && collection != null && !collection.info().isView()) {
        CommandException refusal = SortIndexRule.check(collection.info(), sort.asDocument());
        if (refusal != null) {
          rules.refuse(
              CosmosRule.SORT_INDEX,
              place + " sort " + sort.asDocument().toBsonDocument(),
              refusal);
        }
      }
    }
  }
}
