package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.MappingStage;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.expression.Expression;
import dev.orrery.language.expression.Expressions;
import dev.orrery.language.expression.Scope;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** {@code $replaceRoot}, {@code $replaceWith}: a document inside, or computed, takes the place. */
record ReplaceRootStage(Expression root, String role, BsonDocument specification)
    implements MappingStage {
  static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    if (!argument.isDocument()) {
      throw new CommandException(
          ErrorCode.LOCATION_40229,
          "expected an object as specification for $replaceRoot stage, got "
              + BsonText.typeName(argument));
    }
    for (String field : argument.asDocument().keySet()) {
      if (!field.equals("newRoot")) {
        throw new CommandException(
            ErrorCode.LOCATION_40230,
            "unrecognized option to $replaceRoot stage: "
                + field
                + ", only valid option is 'newRoot'.");
      }
    }
    if (argument.asDocument().isEmpty()) {
      throw new CommandException(
          ErrorCode.LOCATION_40231, "no newRoot specified for the $replaceRoot stage");
    }
    BsonValue root = argument.asDocument().get("newRoot");
    return List.of(of(root, "'newRoot' expression ", context));
  }

  static List<Stage> parseWith(String name, BsonValue argument, PipelineContext context) {
    return List.of(of(argument, "'replacement document' ", context));
  }

  private static Stage of(BsonValue root, String role, PipelineContext context) {
    return new ReplaceRootStage(
        Expressions.parse(root, context.expressions()),
        role,
        new BsonDocument("$replaceRoot", new BsonDocument("newRoot", root)));
  }

  @Override
  public String name() {
    return "$replaceRoot";
  }

  @Override
  public Stage optimize() {
    return new ReplaceRootStage(root.optimize(), role, specification);
  }

  @Override
  public boolean addDependencies(Dependencies dependencies) {
    root.addDependencies(dependencies);
    return true;
  }

  @Override
  public BsonDocument map(BsonDocument document, Scope scope) {
    BsonValue value = root.evaluate(scope.root(document));
    if (value instanceof BsonDocument replacement) {
      return replacement;
    }
    throw new CommandException(
        ErrorCode.LOCATION_40228,
        role
            + " must evaluate to an object, but resulting value was: "
            + BsonText.aggregated(value)
            + ". Type of resulting value: '"
            + BsonText.typeName(value)
            + "'. Input document: "
            + BsonText.aggregated(document));
  }
}
