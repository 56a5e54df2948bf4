package dev.orrery.language.aggregate.window;

import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.SortKey;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.aggregate.stage.StageFailures;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Constant;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.expression.Expression;
import dev.orrery.language.expression.Expressions;
import dev.orrery.language.expression.FieldNames;
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
public record SetWindowFieldsStage(
    @Nullable Expression partitionBy,
    @Nullable SortKey sortBy,
    List<WindowOutput> outputs,
    PipelineContext context,
    BsonDocument specification)
    implements Stage {

  /** A field and the function that it is set to. */
  record WindowOutput(List<String> path, WindowFunction function) {}

  public static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    if (!argument.isDocument()) {
      throw StageFailures.failedToParse(
          "the $setWindowFields stage specification must be an object, found "
              + BsonText.typeName(argument));
    }
    BsonDocument options = argument.asDocument();
    StageFailures.requireKnown(
        "$setWindowFields", options, List.of("partitionBy", "sortBy", "output"));
    BsonValue sort = StageFailures.typed("$setWindowFields", options, "sortBy", BsonType.DOCUMENT);
    BsonValue output =
        StageFailures.typed("$setWindowFields", options, "output", BsonType.DOCUMENT);
    if (output == null) {
      throw StageFailures.missing("$setWindowFields.output");
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
        StageFailures.within("Failed to optimize partitionBy expression", parsed::optimize);
    if (!(partitionBy instanceof Constant constant)) {
      return partitionBy;
    }
    requireNoArray(constant.value());
    return null;
  }

  private static void requireNoArray(@Nullable BsonValue value) {
    if (value != null && value.isArray()) {
      throw StageFailures.typeMismatch(
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
  public DocumentStream open(DocumentStream input, PipelineRun run) {
    return new WindowStream(this, input, run);
  }

  @Nullable BsonValue partitionOf(BsonDocument document, PipelineRun run) {
    if (partitionBy == null) {
      return null;
    }
    BsonValue value = partitionBy.evaluate(run.scope().root(document));
    requireNoArray(value);
    return value;
  }
}
