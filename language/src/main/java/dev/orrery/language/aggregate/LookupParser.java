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
import dev.orrery.language.expression.VariableNames;
import dev.orrery.value.Namespace;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Reads the specification of $lookup: by equal fields, by a pipeline, or by both. */
final class LookupParser {
  private final PipelineContext context;
  private @Nullable String from;
  private @Nullable List<BsonDocument> pipeline;
  private @Nullable BsonDocument let;
  private String as = "";
  private String localField = "";
  private String foreignField = "";

  private LookupParser(PipelineContext context) {
    this.context = context;
  }

  static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    if (!argument.isDocument()) {
      throw StageFailures.failedToParse(
          "the $lookup stage specification must be an object, but found "
              + BsonText.typeName(argument));
    }
    var parser = new LookupParser(context);
    BsonDocument specification = argument.asDocument();
    parser.checkSource(specification);
    specification.forEach(parser::read);
    return List.of(parser.stage(new BsonDocument("$lookup", specification)));
  }

  /** What MongoDB looks at before it reads the stage in full: the source, and names inside. */
  private void checkSource(BsonDocument specification) {
    BsonValue source = specification.get("from");
    BsonValue stages = specification.get("pipeline");
    if (source == null) {
      if (stages == null) {
        throw StageFailures.failedToParse("must specify 'pipeline' when 'from' is empty");
      }
      requireDocuments(Pipeline.documents("pipeline", stages));
      return;
    }
    if (!source.isString() && !source.isDocument()) {
      throw StageFailures.failedToParse(
          "$lookup 'from' field must be a string, but found " + BsonText.typeName(source));
    }
    if (source.isString() && source.asString().getValue().isEmpty()) {
      throw new CommandException(
          ErrorCode.INVALID_NAMESPACE, "invalid $lookup namespace: " + context.database() + ".");
    }
  }

  private static void requireDocuments(List<BsonDocument> stages) {
    if (stages.isEmpty() || !stages.get(0).containsKey("$documents")) {
      throw StageFailures.failedToParse(
          "$lookup stage without explicit collection must have a pipeline with $documents as"
              + " first stage");
    }
  }

  private void read(String name, BsonValue value) {
    switch (name) {
      case "pipeline" -> pipeline = Pipeline.documents("pipeline", value);
      case "let" -> let = readLet(value);
      case "from" -> from = readFrom(value);
      default -> readText(name, value);
    }
  }

  private static BsonDocument readLet(BsonValue value) {
    if (!value.isDocument()) {
      throw StageFailures.failedToParse(
          "$lookup argument '"
              + BsonText.element("let", value)
              + "' must be an object, is type "
              + BsonText.typeName(value));
    }
    return value.asDocument();
  }

  private static String readFrom(BsonValue value) {
    if (value.isString()) {
      return value.asString().getValue();
    }
    BsonDocument name = value.asDocument();
    throw StageFailures.failedToParse(
        "$lookup with syntax {from: {db:<>, coll:<>},..} is not supported for db: "
            + text(name.get("db"))
            + " and coll: "
            + text(name.get("coll")));
  }

  private static String text(@Nullable BsonValue value) {
    return value != null && value.isString() ? value.asString().getValue() : "";
  }

  private void readText(String name, BsonValue value) {
    if (!value.isString()) {
      throw StageFailures.failedToParse(
          "$lookup argument '"
              + name
              + "' must be a string, found "
              + BsonText.element(name, value)
              + ": "
              + BsonText.typeName(value));
    }
    String text = value.asString().getValue();
    switch (name) {
      case "as" -> as = text;
      case "localField" -> localField = text;
      case "foreignField" -> foreignField = text;
      default -> throw StageFailures.failedToParse("unknown argument to $lookup: " + name);
    }
  }

  private Stage stage(BsonDocument specification) {
    if (from == null) {
      requireDocuments(pipeline);
    }
    if (as.isEmpty()) {
      throw StageFailures.failedToParse("must specify 'as' field for a $lookup");
    }
    boolean hasJoin = !localField.isEmpty() || !foreignField.isEmpty();
    boolean isJoinComplete = !localField.isEmpty() && !foreignField.isEmpty();
    if (pipeline == null && !isJoinComplete) {
      throw StageFailures.failedToParse(
          "$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be"
              + " specified");
    }
    if (pipeline != null && hasJoin && !isJoinComplete) {
      throw StageFailures.failedToParse(
          "$lookup requires both or neither of 'localField' and 'foreignField' to be specified");
    }
    if (pipeline == null && let != null) {
      throw StageFailures.failedToParse(
          "$lookup with a 'let' argument must also specify 'pipeline'");
    }
    return build(specification, hasJoin);
  }

  private Stage build(BsonDocument specification, boolean hasJoin) {
    String collection = from == null ? PipelineContext.NO_COLLECTION : from;
    KnownCollections.View view = context.resolve(new Namespace(context.database(), collection));
    List<BsonDocument> user = pipeline == null ? List.of() : pipeline;
    var stages = new ArrayList<>(view.pipeline());
    int head = stages.size();
    stages.addAll(user);
    if (!user.isEmpty() && user.get(0).containsKey("$documents")) {
      head++;
    }
    var names = new ArrayList<String>();
    Map<String, Expression> values = new LinkedHashMap<>();
    if (let != null) {
      for (var variable : let.entrySet()) {
        VariableNames.requireWritable(variable.getKey());
        names.add(variable.getKey());
        values.put(
            variable.getKey(), Expressions.parse(variable.getValue(), context.expressions()));
      }
    }
    List<String> asPath = FieldNames.split(as);
    LookupStage.Join join = null;
    if (hasJoin) {
      FieldNames.split(foreignField);
      join = new LookupStage.Join(FieldNames.split(localField), foreignField, head);
    }
    PipelineContext inner = context.inner(view.on(), names);
    Map<Integer, Expression> slots = new LinkedHashMap<>();
    values.forEach((name, value) -> slots.put(inner.expressions().slot(name), value));
    Pipeline parsed = Pipeline.parseInner(stages, inner);
    requireAllowed(parsed);
    return new LookupStage(
        new LookupStage.Target(asPath, null), join, slots, parsed, specification);
  }

  private static void requireAllowed(Pipeline parsed) {
    for (Stage stage : parsed.stages()) {
      if (stage.traits().contains(Stage.Trait.NOT_IN_LOOKUP)) {
        throw new CommandException(
            ErrorCode.LOCATION_51047,
            stage.name() + " is not allowed within a $lookup's sub-pipeline");
      }
    }
  }
}
