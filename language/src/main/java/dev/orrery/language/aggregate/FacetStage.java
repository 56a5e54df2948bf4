package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentBuffer;
import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.Documents;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.expression.FieldNames;
import dev.orrery.language.limit.Holding;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $facet}: one document with the results of several pipelines over the same input. */
record FacetStage(Map<String, Pipeline> facets, BsonDocument specification) implements Stage {
  static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    if (!argument.isDocument() || argument.asDocument().isEmpty()) {
      throw new CommandException(
          ErrorCode.LOCATION_40169,
          "the $facet specification must be a non-empty object, but found: "
              + BsonText.element("$facet", argument));
    }
    Map<String, Pipeline> facets = new LinkedHashMap<>();
    for (var facet : argument.asDocument().entrySet()) {
      FieldNames.require(facet.getKey());
      if (!facet.getValue().isArray()) {
        throw new CommandException(
            ErrorCode.LOCATION_40170,
            "arguments to $facet must be arrays, "
                + facet.getKey()
                + " is type "
                + BsonText.typeName(facet.getValue()));
      }
      facets.put(facet.getKey(), parseFacet(facet.getValue().asArray(), context));
    }
    return List.of(new FacetStage(facets, new BsonDocument("$facet", argument)));
  }

  private static Pipeline parseFacet(BsonArray stages, PipelineContext context) {
    for (BsonValue stage : stages) {
      if (!stage.isDocument()) {
        throw new CommandException(
            ErrorCode.LOCATION_40171,
            "elements of arrays in $facet spec must be non-empty objects, found: "
                + BsonText.typeName(stage));
      }
    }
    Pipeline pipeline =
        Pipeline.parseInner(
            Pipeline.documents("pipeline", stages), context.on(context.namespace()));
    for (Stage stage : pipeline.stages()) {
      if (Metadata.hasSearch(stage)) {
        throw new CommandException(
            ErrorCode.LOCATION_40218,
            "query requires text score metadata, but it is not available");
      }
      if (stage.traits().contains(Trait.NOT_IN_FACET)) {
        throw new CommandException(
            ErrorCode.LOCATION_40600,
            stage.name() + " is not allowed to be used within a $facet stage");
      }
    }
    return pipeline;
  }

  @Override
  public String name() {
    return "$facet";
  }

  @Override
  public Set<Trait> traits() {
    return Set.of(Trait.NOT_IN_FACET);
  }

  @Override
  public Stage optimize() {
    Map<String, Pipeline> optimized = new LinkedHashMap<>();
    facets.forEach((name, facet) -> optimized.put(name, facet.optimize()));
    return new FacetStage(optimized, specification);
  }

  @Override
  public boolean addDependencies(Dependencies dependencies) {
    for (Pipeline facet : facets.values()) {
      Pipeline.addDependencies(facet.stages(), dependencies);
    }
    return true;
  }

  @Override
  public DocumentStream open(DocumentStream input, PipelineRun run) {
    return new DocumentStream() {
      private final Holding holding = new Holding(run.spill().memory());
      private boolean isDone;

      @Override
      public @Nullable BsonDocument next() {
        if (isDone) {
          return null;
        }
        isDone = true;
        try (var buffer = new DocumentBuffer("$facet", run.spill().always())) {
          buffer.addAll(input);
          return result(buffer, run, holding);
        }
      }

      @Override
      public void close() {
        holding.close();
        input.close();
      }
    };
  }

  private BsonDocument result(DocumentBuffer buffer, PipelineRun run, Holding holding) {
    var result = new BsonDocument();
    for (var facet : facets.entrySet()) {
      var list = new BsonArray();
      try (var stream = facet.getValue().openOn(buffer.open(), run)) {
        for (BsonDocument one = stream.next(); one != null; one = stream.next()) {
          if (!run.spill().fits(holding, Documents.heapBytes(one))) {
            throw tooLarge(holding.bytes(), run.spill().bytesMax());
          }
          list.add(one);
        }
      }
      result.append(facet.getKey(), list);
    }
    return result;
  }

  private static CommandException tooLarge(long bytes, long bytesMax) {
    return new CommandException(
        ErrorCode.LOCATION_4031700,
        "document constructed by $facet is "
            + bytes
            + " bytes, which exceeds the limit of "
            + Math.min(bytes, bytesMax)
            + " bytes");
  }
}
