package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.Documents;
import dev.orrery.language.aggregate.stage.MappingStage;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.aggregate.stage.StageFailures;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.expression.FieldNames;
import dev.orrery.language.expression.Scope;
import dev.orrery.language.query.Projection;
import dev.orrery.language.query.ProjectionNode;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;

/** {@code $project}, {@code $unset}: keeps or drops fields, and computes new ones. */
record ProjectStage(
    String name, ProjectionNode.Inner tree, boolean isInclusion, BsonDocument specification)
    implements MappingStage {

  static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    if (!argument.isDocument()) {
      throw new CommandException(
          ErrorCode.LOCATION_15969, "$project specification must be an object");
    }
    BsonDocument fields = argument.asDocument();
    return List.of(StageFailures.inStage(name, () -> parse(name, fields, context)));
  }

  private static Stage parse(String name, BsonDocument fields, PipelineContext context) {
    if (fields.isEmpty()) {
      throw new CommandException(
          ErrorCode.LOCATION_51272, "projection specification must have at least one field");
    }
    Projection.Parsed parsed = Projection.parseStage(fields, context.filters());
    return new ProjectStage(
        name, parsed.root(), parsed.isInclusion(), new BsonDocument(name, fields));
  }

  static List<Stage> parseUnset(String name, BsonValue argument, PipelineContext context) {
    BsonArray paths = argument.isArray() ? argument.asArray() : new BsonArray();
    if (argument.isString()) {
      paths.add(argument);
    } else if (!argument.isArray()) {
      throw new CommandException(
          ErrorCode.LOCATION_31002, "$unset specification must be a string or an array");
    }
    if (paths.isEmpty()) {
      throw new CommandException(
          ErrorCode.LOCATION_31119,
          "$unset specification must be a string or an array with at least one field");
    }
    if (!paths.stream().allMatch(BsonValue::isString)) {
      throw new CommandException(
          ErrorCode.LOCATION_31120,
          "$unset specification must be a string or an array containing only string values");
    }
    var fields = new BsonDocument();
    return List.of(
        StageFailures.inStage(
            name,
            () -> {
              for (BsonValue path : paths) {
                String text = path.asString().getValue();
                FieldNames.split(text);
                if (fields.put(text, new BsonInt32(0)) != null) {
                  throw new CommandException(ErrorCode.LOCATION_31250, "Path collision at " + text);
                }
              }
              Projection.Parsed parsed = Projection.parseStage(fields, context.filters());
              return new ProjectStage(
                  "$project", parsed.root(), false, new BsonDocument("$project", fields));
            }));
  }

  @Override
  public Stage optimize() {
    return new ProjectStage(name, FieldTree.optimize(tree), isInclusion, specification);
  }

  @Override
  public boolean addDependencies(Dependencies dependencies) {
    if (isInclusion) {
      FieldTree.addDependencies(tree, "", dependencies);
    }
    return isInclusion;
  }

  @Override
  public boolean preserves(String path) {
    if (!isInclusion) {
      return !tree.children().containsKey(Documents.head(path));
    }
    ProjectionNode node = tree;
    for (String name : path.split("\\.", -1)) {
      node = node instanceof ProjectionNode.Inner inner ? inner.children().get(name) : null;
      if (node instanceof ProjectionNode.Selection selection) {
        return selection.isIncluded();
      }
    }
    return false;
  }

  @Override
  public BsonDocument map(BsonDocument document, Scope scope) {
    BsonDocument rest =
        isInclusion ? FieldTree.kept(tree, document) : FieldTree.withoutDropped(tree, document);
    return FieldTree.computed(tree, rest, scope.root(document));
  }
}
