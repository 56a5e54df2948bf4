package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.KnownCollections;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.aggregate.stage.StageFailures;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.value.Namespace;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $unionWith}: its input, then the documents of a pipeline over another collection. */
record UnionWithStage(Pipeline pipeline, BsonDocument specification) implements Stage {
  static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    if (!argument.isString() && !argument.isDocument()) {
      throw StageFailures.failedToParse(
          "the $unionWith stage specification must be an object or string, but found "
              + BsonText.typeName(argument));
    }
    String collection = null;
    List<BsonDocument> stages = List.of();
    if (argument.isString()) {
      collection = argument.asString().getValue();
    } else {
      BsonDocument options = argument.asDocument();
      StageFailures.requireKnown("$unionWith", options, List.of("coll", "pipeline"));
      BsonValue named = StageFailures.typed("$unionWith", options, "coll", BsonType.STRING);
      collection = named == null ? null : named.asString().getValue();
      if (options.containsKey("pipeline")) {
        stages = Pipeline.documents("pipeline", options.get("pipeline"));
      }
    }
    return List.of(
        new UnionWithStage(
            parsePipeline(collection, stages, context), new BsonDocument(name, argument)));
  }

  private static Pipeline parsePipeline(
      @Nullable String collection, List<BsonDocument> stages, PipelineContext context) {
    if (collection == null && (stages.isEmpty() || !stages.get(0).containsKey("$documents"))) {
      throw StageFailures.failedToParse(
          "$unionWith stage without explicit collection must have a pipeline with $documents as"
              + " first stage");
    }
    if (collection != null && collection.isEmpty()) {
      throw new CommandException(
          ErrorCode.INVALID_NAMESPACE, "invalid $unionWith namespace: " + context.database() + ".");
    }
    String name = collection == null ? PipelineContext.NO_COLLECTION : collection;
    KnownCollections.View view = context.resolve(new Namespace(context.database(), name));
    var all = new ArrayList<>(view.pipeline());
    all.addAll(stages);
    Pipeline pipeline = Pipeline.parseInner(all, context.on(view.on()));
    for (Stage stage : pipeline.stages()) {
      if (stage.traits().contains(Trait.NOT_IN_UNION)) {
        throw new CommandException(
            ErrorCode.LOCATION_31441,
            stage.name() + " is not allowed within a $unionWith's sub-pipeline");
      }
    }
    return pipeline;
  }

  /** Where its pipeline may not be, the stage may not be either. */
  @Override
  public Set<Trait> traits() {
    return pipeline.places();
  }

  @Override
  public String name() {
    return "$unionWith";
  }

  @Override
  public Stage optimize() {
    return new UnionWithStage(pipeline.optimize(), specification);
  }

  @Override
  public boolean addDependencies(Dependencies dependencies) {
    return false;
  }

  @Override
  public DocumentStream open(DocumentStream input, PipelineRun run) {
    return new DocumentStream() {
      private @Nullable DocumentStream second;

      @Override
      public @Nullable BsonDocument next() {
        if (second == null) {
          BsonDocument next = input.next();
          if (next != null) {
            return next;
          }
          second = pipeline.open(run.fork());
        }
        return second.next();
      }

      @Override
      public void close() {
        input.close();
        if (second != null) {
          second.close();
        }
      }
    };
  }
}
