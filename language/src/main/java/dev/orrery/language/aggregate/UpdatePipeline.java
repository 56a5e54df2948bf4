package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.KnownCollections;
import dev.orrery.language.aggregate.stage.MappingStage;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.ParseContext;
import dev.orrery.language.expression.Scope;
import dev.orrery.language.query.Collation;
import dev.orrery.value.Namespace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonDocument;

/** A pipeline of stages that make one document of another: the only ones an update may use. */
public final class UpdatePipeline {
  /** No allowed stage reads a collection, so it does not matter which one there is. */
  private static final Namespace ANY = new Namespace("any", "any");

  private static final Set<String> ALLOWED =
      Set.of("$addFields", "$project", "$replaceRoot", "$replaceWith", "$set", "$unset");

  /** Stages that are not parsed here, and the names under which MongoDB refuses them. */
  private static final Map<String, String> UNPARSED =
      Map.of(
          "$changeStream", "$_internalChangeStreamOplogMatch",
          "$geoNear", "$geoNear",
          "$listSearchIndexes", "$listSearchIndexes",
          "$search", "$search",
          "$searchMeta", "$searchMeta",
          "$shardedDataDistribution", "$shardedDataDistribution",
          "$vectorSearch", "$vectorSearch");

  private final List<MappingStage> stages;

  private UpdatePipeline(List<MappingStage> stages) {
    this.stages = List.copyOf(stages);
  }

  /** Refuses what is no stage at all. */
  public static void requireForm(List<BsonDocument> stages) {
    for (BsonDocument stage : stages) {
      if (stage.size() != 1 || !UNPARSED.containsKey(stage.getFirstKey())) {
        Stages.requireForm(stage);
      }
    }
  }

  /** Parses stages whose form was checked; mistakes in any of them come before refusals. */
  public static UpdatePipeline parse(List<BsonDocument> stages, ParseContext expressions) {
    var context =
        new PipelineContext(
            ANY, expressions, Collation.SIMPLE, Map.of(), KnownCollections.EMPTY, 0);
    var parsed = new ArrayList<MappingStage>();
    String refused = null;
    for (BsonDocument stage : stages) {
      String name = stage.getFirstKey();
      String refusal = UNPARSED.get(name);
      if (refusal == null) {
        List<Stage> parts = Stages.parse(name, stage.get(name), context);
        if (ALLOWED.contains(name)) {
          parts.forEach(part -> parsed.add((MappingStage) part));
        } else {
          refusal = parts.get(0).name();
        }
      }
      refused = refused == null ? refusal : refused;
    }
    if (refused != null) {
      throw refused(refused);
    }
    return new UpdatePipeline(parsed);
  }

  static CommandException refused(String stage) {
    return new CommandException(
        ErrorCode.INVALID_OPTIONS, stage + " is not allowed to be used within an update");
  }

  /** What the stages, one after the other, make of a document, which stays as it is. */
  public BsonDocument apply(BsonDocument document) {
    var scope = new Scope();
    BsonDocument result = document;
    for (MappingStage stage : stages) {
      result = stage.map(result, scope);
    }
    return result;
  }
}
