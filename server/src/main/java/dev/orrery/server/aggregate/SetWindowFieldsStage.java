package dev.orrery.server.aggregate;

import dev.orrery.server.error.BsonText;
import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import dev.orrery.server.expression.Constant;
import dev.orrery.server.expression.Dependencies;
import dev.orrery.server.expression.Expression;
import dev.orrery.server.expression.Expressions;
import dev.orrery.server.expression.FieldNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * {@code $setWindowFields}: sets fields to functions of the documents around.
 *
 * @param partitionBy null for one partition
 * @param sortBy null for any order
 */
record SetWindowFieldsStage(
    @Nullable Expression partitionBy,
    @Nullable SortKey sortBy,
    List<WindowOutput> outputs,
    PipelineContext context,
    BsonDocument specification)
    implements Stage {

  /** A field and the function that it is set to. */
  record WindowOutput(List<String> path, WindowFunction function) {}

  static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    if (!argument.isDocument()) {
      throw Failures.failedToParse(
          "the $setWindowFields stage specification must be an object, found "
              + BsonText.typeName(argument));
    }
    BsonDocument options = argument.asDocument();
    Failures.requireKnown("$setWindowFields", options, List.of("partitionBy", "sortBy", "output"));
    BsonValue sort = Failures.typed("$setWindowFields", options, "sortBy", BsonType.DOCUMENT);
    BsonValue output = Failures.typed("$setWindowFields", options, "output", BsonType.DOCUMENT);
    if (output == null) {
      throw Failures.missing("$setWindowFields.output");
    }
    Expression partitionBy =
        options.containsKey("partitionBy")
            ? parsePartitionBy(options.get("partitionBy"), context)
            : null;
    SortKey sortBy =
        sort == null || sort.asDocument().isEmpty()
            ? null
            : SortKey.parse(sort.asDocument(), context.order());
    List<WindowOutput> outputs = new ArrayList<>();
    for (var field : output.asDocument().entrySet()) {
      requireNoConflict(field.getKey(), output.asDocument().keySet());
      WindowFunction function =
          WindowFunctions.parse(field.getKey(), field.getValue(), sortBy, context);
      outputs.add(new WindowOutput(FieldNames.split(field.getKey()), function));
    }
    return List.of(
        new SetWindowFieldsStage(
            partitionBy, sortBy, outputs, context, new BsonDocument(name, argument)));
  }

  private static @Nullable Expression parsePartitionBy(BsonValue value, PipelineContext context) {
    Expression parsed = Expressions.parse(value, context.expressions());
    Expression partitionBy =
        Failures.within("Failed to optimize partitionBy expression", parsed::optimize);
    if (!(partitionBy instanceof Constant constant)) {
      return partitionBy;
    }
    requireNoArray(constant.value());
    return null;
  }

  private static void requireNoArray(@Nullable BsonValue value) {
    if (value != null && value.isArray()) {
      throw Failures.typeMismatch(
          "An expression used to partition cannot evaluate to value of type array");
    }
  }

  private static void requireNoConflict(String path, Set<String> all) {
    for (String other : all) {
      if (other.startsWith(path + ".")) {
        throw new CommandException(
            ErrorCode.LOCATION_6307900,
            "$setWindowFields 'output' specification contains two conflicting paths");
      }
    }
  }

  @Override
  public String name() {
    return "$setWindowFields";
  }

  @Override
  public Stage optimize() {
    List<WindowOutput> optimized = new ArrayList<>();
    outputs.forEach(one -> optimized.add(new WindowOutput(one.path, one.function.optimize())));
    return new SetWindowFieldsStage(partitionBy, sortBy, optimized, context, specification);
  }

  @Override
  public boolean addDependencies(Dependencies dependencies) {
    if (partitionBy != null) {
      partitionBy.addDependencies(dependencies);
    }
    if (sortBy != null) {
      sortBy.paths().forEach(dependencies::addField);
    }
    outputs.forEach(one -> one.function.addDependencies(dependencies));
    return false;
  }

  /** The field that documents are sorted by, if it is a single one. */
  @Nullable List<String> sortPath() {
    return sortBy == null || sortBy.paths().size() != 1
        ? null
        : List.of(sortBy.paths().get(0).split("\\."));
  }

  @Override
  public DocumentStream open(DocumentStream input, Run run) {
    return new WindowStream(this, input, run);
  }

  @Nullable BsonValue partitionOf(BsonDocument document, Run run) {
    if (partitionBy == null) {
      return null;
    }
    BsonValue value = partitionBy.evaluate(run.scope().root(document));
    requireNoArray(value);
    return value;
  }
}
