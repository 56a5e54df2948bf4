package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.KnownCollections;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.aggregate.stage.StageFailures;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Expression;
import dev.orrery.language.expression.Expressions;
import dev.orrery.language.expression.FieldNames;
import dev.orrery.language.number.Numbers;
import dev.orrery.language.query.FilterParser;
import dev.orrery.value.Namespace;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Reads the specification of $graphLookup. */
final class GraphLookupParser {
  private final PipelineContext context;
  private String from = "";
  private String as = "";
  private String connectFrom = "";
  private String connectTo = "";
  private long maxDepth = Long.MAX_VALUE;
  private @Nullable Expression startWith;
  private @Nullable List<String> depth;
  private @Nullable BsonDocument restriction;

  private GraphLookupParser(PipelineContext context) {
    this.context = context;
  }

  static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    if (!argument.isDocument()) {
      throw StageFailures.failedToParse(
          "the $graphLookup stage specification must be an object, but found "
              + BsonText.typeName(argument));
    }
    BsonDocument specification = argument.asDocument();
    BsonValue from = specification.get("from");
    if (from == null) {
      throw StageFailures.failedToParse(
          "missing 'from' option to $graphLookup stage specification: "
              + BsonText.document(specification));
    }
    if (!from.isString()) {
      throw StageFailures.failedToParse(
          "$graphLookup 'from' field must be a string, but found " + BsonText.typeName(from));
    }
    if (from.asString().getValue().isEmpty()) {
      throw new CommandException(
          ErrorCode.INVALID_NAMESPACE,
          "invalid $graphLookup namespace: " + context.database() + ".");
    }
    var parser = new GraphLookupParser(context);
    specification.forEach(parser::read);
    return List.of(parser.stage(new BsonDocument(name, specification)));
  }

  private void read(String name, BsonValue value) {
    switch (name) {
      case "startWith" -> startWith = Expressions.parse(value, context.expressions());
      case "maxDepth" -> maxDepth = readDepth(value);
      case "restrictSearchWithMatch" -> restriction = readRestriction(value);
      case "from" -> from = text(name, value);
      case "as" -> as = text(name, value);
      case "connectFromField" -> connectFrom = text(name, value);
      case "connectToField" -> connectTo = text(name, value);
      case "depthField" -> depth = FieldNames.split(text(name, value));
      default ->
          throw new CommandException(
              ErrorCode.LOCATION_40104, "Unknown argument to $graphLookup: " + name);
    }
  }

  private static String text(String name, BsonValue value) {
    if (!value.isString()) {
      throw GraphLookupStage.notText(name, value);
    }
    return value.asString().getValue();
  }

  private static long readDepth(BsonValue value) {
    if (!Numbers.isNumber(value)) {
      throw new CommandException(
          ErrorCode.LOCATION_40100,
          "maxDepth must be numeric, found type: " + BsonText.typeName(value));
    }
    long depth = Numbers.toLong(value);
    if (depth < 0) {
      throw new CommandException(
          ErrorCode.LOCATION_40101, "maxDepth requires a nonnegative argument, found: " + depth);
    }
    if (!Numbers.isLong(value)) {
      throw new CommandException(
          ErrorCode.LOCATION_40102, "maxDepth could not be represented as a long long: " + depth);
    }
    return depth;
  }

  private BsonDocument readRestriction(BsonValue value) {
    if (!value.isDocument()) {
      throw new CommandException(
          ErrorCode.LOCATION_40185,
          "restrictSearchWithMatch must be an object, found " + BsonText.typeName(value));
    }
    StageFailures.within(
        "Failed to parse 'restrictSearchWithMatch' option to $graphLookup",
        () -> FilterParser.parse(value.asDocument(), context.filters()));
    return value.asDocument();
  }

  private Stage stage(BsonDocument specification) {
    boolean isComplete =
        !as.isEmpty() && startWith != null && !connectFrom.isEmpty() && !connectTo.isEmpty();
    if (!isComplete) {
      throw new CommandException(
          ErrorCode.LOCATION_40105,
          "$graphLookup requires 'from', 'as', 'startWith', 'connectFromField', and"
              + " 'connectToField' to be specified.");
    }
    List<String> asPath = FieldNames.split(as);
    List<String> fromPath = FieldNames.split(connectFrom);
    FieldNames.split(connectTo);
    KnownCollections.View view = context.resolve(new Namespace(context.database(), from));
    return new GraphLookupStage(
        Pipeline.parseInner(view.pipeline(), context.on(view.on())),
        startWith,
        new GraphLookupStage.Edges(fromPath, connectTo, maxDepth, restriction),
        new GraphLookupStage.Output(asPath, depth),
        specification);
  }
}
