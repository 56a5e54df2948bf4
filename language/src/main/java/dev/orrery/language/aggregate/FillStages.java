package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.aggregate.stage.StageFailures;
import dev.orrery.language.aggregate.window.SetWindowFieldsStage;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.FieldNames;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonType;
import org.bson.BsonValue;

/** {@code $fill}: values for missing fields, by $setWindowFields and $addFields. */
final class FillStages {
  private FillStages() {}

  static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    if (!argument.isDocument()) {
      throw StageFailures.failedToParse(
          "The $fill stage specification must be an object, found " + BsonText.typeName(argument));
    }
    BsonDocument options = argument.asDocument();
    StageFailures.requireKnown(
        "$fill", options, List.of("sortBy", "partitionBy", "partitionByFields", "output"));
    StageFailures.typed("$fill", options, "sortBy", BsonType.DOCUMENT);
    BsonValue output = StageFailures.typed("$fill", options, "output", BsonType.DOCUMENT);
    if (output == null) {
      throw StageFailures.missing("$fill.output");
    }
    if (output.asDocument().isEmpty()) {
      throw new CommandException(
          ErrorCode.LOCATION_6050203,
          "The output field in '$fill' must contain an object with at least one element");
    }
    var methods = new BsonDocument();
    var values = new BsonDocument();
    for (var field : output.asDocument().entrySet()) {
      readOutput(field.getKey(), field.getValue(), methods, values);
    }
    BsonDocument windowFields = windowFields(options, methods);
    var stages = new ArrayList<Stage>();
    if (!methods.isEmpty()) {
      stages.addAll(SetWindowFieldsStage.parse("$setWindowFields", windowFields, context));
    }
    if (!values.isEmpty()) {
      stages.addAll(AddFieldsStage.parse("$addFields", values, context));
    }
    return stages;
  }

  private static void readOutput(
      String field, BsonValue value, BsonDocument methods, BsonDocument values) {
    if (!value.isDocument()) {
      throw new CommandException(
          ErrorCode.LOCATION_6050200,
          "Each fill output specification must be an object with exactly one field");
    }
    BsonDocument output = value.asDocument();
    StageFailures.requireKnown("$fill", output, List.of("value", "method"));
    BsonValue method = StageFailures.typed("$fill", output, "method", BsonType.STRING);
    var path = new BsonString("$" + field);
    if (method != null) {
      if (output.containsKey("value")) {
        throw new CommandException(
            ErrorCode.LOCATION_6050201,
            "Each fill output specification must have exactly one of 'method' or 'value' fields,"
                + " not both");
      }
      methods.append(field, new BsonDocument(function(method.asString().getValue()), path));
    } else if (output.containsKey("value")) {
      var operands = new BsonArray(List.of(path, output.get("value")));
      values.append(field, new BsonDocument("$ifNull", operands));
    }
  }

  private static String function(String method) {
    return switch (method) {
      case "locf" -> "$locf";
      case "linear" -> "$linearFill";
      default ->
          throw new CommandException(
              ErrorCode.LOCATION_6050202, "Method must be either locf or linear");
    };
  }

  private static BsonDocument windowFields(BsonDocument options, BsonDocument methods) {
    var specification = new BsonDocument();
    BsonValue partitionBy = options.get("partitionBy");
    BsonValue fields = StageFailures.typed("$fill", options, "partitionByFields", BsonType.ARRAY);
    if (partitionBy != null) {
      if (!partitionBy.isString() && !partitionBy.isDocument()) {
        throw StageFailures.typeMismatch(
            "BSON field '$fill.partitionBy' is the wrong type '"
                + BsonText.typeName(partitionBy)
                + "', expected types '[object, string]'");
      }
      if (fields != null) {
        throw new CommandException(
            ErrorCode.LOCATION_6050204,
            "Maximum one of 'partitionBy' and 'partitionByFields can be specified in '$fill'");
      }
      specification.append("partitionBy", partitionBy);
    }
    if (fields != null) {
      var partition = new BsonDocument();
      for (String field : texts("$fill.partitionByFields", fields)) {
        FieldNames.split(field);
        partition.append(field, new BsonString("$" + field));
      }
      specification.append("partitionBy", partition);
    }
    if (options.containsKey("sortBy")) {
      specification.append("sortBy", options.get("sortBy"));
    }
    return specification.append("output", methods);
  }

  /** The texts of an array that must have no other values. */
  static List<String> texts(String path, BsonValue array) {
    var texts = new ArrayList<String>();
    for (BsonValue value : array.asArray()) {
      if (!value.isString()) {
        throw StageFailures.wrongType(path + "." + texts.size(), value, "string");
      }
      texts.add(value.asString().getValue());
    }
    return texts;
  }
}
