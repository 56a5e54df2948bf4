package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.aggregate.stage.StageFailures;
import dev.orrery.language.aggregate.window.WindowBounds;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.FieldNames;
import dev.orrery.language.expression.WatchedOrder;
import dev.orrery.language.number.Numbers;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonType;
import org.bson.BsonValue;

/** Reads the specification of $densify, which needs its input sorted. */
final class DensifyParser {
  private DensifyParser() {}

  static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    if (!argument.isDocument()) {
      throw StageFailures.failedToParse(
          "The $densify stage specification must be an object, found "
              + BsonText.typeName(argument));
    }
    BsonDocument options = argument.asDocument();
    StageFailures.requireKnown("$densify", options, List.of("field", "partitionByFields", "range"));
    BsonValue field = StageFailures.typed("$densify", options, "field", BsonType.STRING);
    BsonValue by = StageFailures.typed("$densify", options, "partitionByFields", BsonType.ARRAY);
    BsonValue range = StageFailures.typed("$densify", options, "range", BsonType.DOCUMENT);
    List<String> partitions =
        by == null ? List.of() : FillStages.texts("$densify.partitionByFields", by);
    if (field == null) {
      throw StageFailures.missing("$densify.field");
    }
    if (range == null) {
      throw StageFailures.missing("$densify.range");
    }
    DensifyStage.Range parsed = parseRange(range.asDocument());
    partitions.forEach(FieldNames::split);
    String path = field.asString().getValue();
    List<String> fieldPath = FieldNames.split(path);
    if (parsed.extent() == DensifyStage.Extent.PARTITION && partitions.isEmpty()) {
      throw new CommandException(
          ErrorCode.LOCATION_5733408,
          "One cannot specify the bounds as 'partition' without specifying a non-empty array of"
              + " partitionByFields. You may have meant to specify 'full' bounds.");
    }
    requireApart(path, partitions);
    var order = new BsonDocument();
    if (parsed.extent() != DensifyStage.Extent.FULL) {
      partitions.forEach(one -> order.append(one, new BsonInt32(1)));
    }
    order.append(path, new BsonInt32(1));
    return List.of(
        SortStage.of(order, context),
        new DensifyStage(fieldPath, partitions, parsed, new BsonDocument(name, argument)));
  }

  private static void requireApart(String path, List<String> partitions) {
    for (String partition : partitions) {
      if (partition.equals(path)
          || partition.startsWith(path + ".")
          || path.startsWith(partition + ".")) {
        throw new CommandException(
            ErrorCode.LOCATION_8993000,
            "partitionByFields cannot include field that is being densified");
      }
    }
  }

  private static DensifyStage.Range parseRange(BsonDocument range) {
    StageFailures.requireKnown("$densify.range", range, List.of("step", "unit", "bounds"));
    BsonValue unitText = StageFailures.typed("$densify.range", range, "unit", BsonType.STRING);
    BsonValue step = range.get("step");
    BsonValue bounds = range.get("bounds");
    if (step == null) {
      throw StageFailures.missing("$densify.range.step");
    }
    if (bounds == null) {
      throw StageFailures.missing("$densify.range.bounds");
    }
    if (!Numbers.isNumber(step) || !(Numbers.toDouble(step) > 0)) {
      throw new CommandException(
          ErrorCode.LOCATION_5733401,
          "The step parameter in a range statement must be a strictly positive numeric value");
    }
    String unit = unitText == null ? "" : unitText.asString().getValue();
    if (unitText != null) {
      if (!Numbers.isLong(step)) {
        throw new CommandException(
            ErrorCode.LOCATION_6586400,
            "The step parameter in a range statement must be a whole number when densifying a date"
                + " range");
      }
      WindowBounds.TimeUnits.require(unit);
    }
    if (bounds.isArray()) {
      return explicit(step, unit, bounds.asArray());
    }
    if (!bounds.isString()) {
      throw new CommandException(
          ErrorCode.LOCATION_5733404,
          "The bounds in a range statement must be the string 'full', 'partition', or an ascending"
              + " array of two numbers or two dates");
    }
    return switch (bounds.asString().getValue()) {
      case "full" -> new DensifyStage.Range(step, unit, DensifyStage.Extent.FULL, null, null);
      case "partition" ->
          new DensifyStage.Range(step, unit, DensifyStage.Extent.PARTITION, null, null);
      default ->
          throw new CommandException(
              ErrorCode.LOCATION_5946802, "Bounds string must either be 'full' or 'partition'");
    };
  }

  private static DensifyStage.Range explicit(BsonValue step, String unit, List<BsonValue> pair) {
    if (pair.size() != 2) {
      throw new CommandException(
          ErrorCode.LOCATION_5733403,
          "A bounding array in a range statement must have exactly two elements");
    }
    BsonValue lower = pair.get(0);
    BsonValue upper = pair.get(1);
    if (WatchedOrder.CANONICAL.compare(lower, upper) > 0) {
      throw new CommandException(
          ErrorCode.LOCATION_5733402,
          "A bounding array must be an ascending array of either two dates or two numbers");
    }
    if (Numbers.isNumber(lower)) {
      requireNumbers(step, unit, lower, upper);
    } else if (lower.isDateTime()) {
      if (!upper.isDateTime()) {
        throw new CommandException(
            ErrorCode.LOCATION_5733405,
            "A bounding array must contain either both dates or both numeric types");
      }
      if (unit.isEmpty()) {
        throw new CommandException(
            ErrorCode.LOCATION_5733410, "A bounding array of dates must specify a unit");
      }
    } else {
      throw new CommandException(
          ErrorCode.LOCATION_5946800, "Explicit bounds must be numeric or dates");
    }
    return new DensifyStage.Range(step, unit, DensifyStage.Extent.EXPLICIT, lower, upper);
  }

  private static void requireNumbers(
      BsonValue step, String unit, BsonValue lower, BsonValue upper) {
    if (!unit.isEmpty()) {
      throw new CommandException(
          ErrorCode.LOCATION_5733409, "Numeric bounds may not have unit parameter");
    }
    if (!Numbers.isNumber(upper)) {
      throw new CommandException(
          ErrorCode.LOCATION_5733406,
          "A bounding array must contain either both dates or both numeric types");
    }
    if (lower.getBsonType() != upper.getBsonType() || lower.getBsonType() != step.getBsonType()) {
      throw new CommandException(
          ErrorCode.LOCATION_5876900,
          "Upper bound, lower bound, and step must all have the same type");
    }
  }
}
