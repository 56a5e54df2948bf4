package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.Documents;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.SourceQuery;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.aggregate.stage.Transformed;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.geo.Near;
import dev.orrery.language.geo.NearParser;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.GeoFilters;
import dev.orrery.language.query.TextFilters;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/*
 * The stage is done in two halves: the query at the head of the pipeline finds the documents, the
 * nearest first, and the stage itself writes into each how far away it is.
 */

/** {@code $geoNear}: documents in the order of their distance to a point. */
record GeoNearStage(GeoNearOptions options, MatchStage match, PipelineContext context)
    implements Stage {

  static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    if (!argument.isDocument()) {
      throw new CommandException(
          ErrorCode.LOCATION_10065, "invalid parameter: expected an object ($geoNear)");
    }
    GeoNearOptions options = GeoNearOptions.parse(argument.asDocument(), context);
    MatchStage match = MatchStage.of(options.query(), context);
    if (GeoFilters.findNear(match.filter()) != null) {
      throw new CommandException(
          ErrorCode.BAD_VALUE, "$near is not allowed inside of a $geoNear query");
    }
    return List.of(new GeoNearStage(options, match, context));
  }

  /** The condition that the query adds, as a find would have it. */
  private record Condition(FieldPath path, Near near, BsonDocument operators) {
    Filter filter() {
      return new Filter.Field(path, new GeoFilters.ByDistance(near, operators));
    }

    BsonDocument document() {
      return new BsonDocument(path.dotted(), operators);
    }
  }

  private Condition condition(PipelineRun run) {
    BsonDocument operators = options.operators(run.scope());
    Near near = NearParser.parse(RawDocument.of(operators));
    String path =
        options.key() == null ? run.environment().geoField(context.namespace()) : options.key();
    return new Condition(FieldPath.parse(path), near, operators);
  }

  /** What the collection is asked for. */
  SourceQuery query(SourceQuery all, PipelineRun run) {
    Condition condition = condition(run);
    var filters = new ArrayList<Filter>();
    Filter others = match.bound(run);
    if (TextFilters.find(others) != null) {
      throw TextFilters.besideNear();
    }
    filters.addAll(others instanceof Filter.And and ? and.children() : List.of(others));
    filters.add(condition.filter());
    var written = match.document().toBsonDocument();
    written.putAll(condition.document());
    return all.with(
        filters.size() == 1 ? filters.get(0) : new Filter.And(filters), RawDocument.of(written));
  }

  @Override
  public String name() {
    return "$geoNear";
  }

  @Override
  public BsonDocument specification() {
    return new BsonDocument("$geoNear", options.document());
  }

  @Override
  public Set<Trait> traits() {
    return Set.of(Trait.NOT_IN_FACET);
  }

  @Override
  public boolean addDependencies(Dependencies dependencies) {
    dependencies.addWholeDocument();
    return false;
  }

  @Override
  public DocumentStream open(DocumentStream input, PipelineRun run) {
    Condition condition = condition(run);
    return new Transformed(input, one -> measured(one, condition));
  }

  private @Nullable BsonDocument measured(BsonDocument one, Condition condition) {
    Near.Found found = condition.near.nearest(Documents.encode(one), condition.path);
    if (found == null) {
      return null;
    }
    double distance = found.distance() * condition.near.unit() * options.multiplier();
    BsonDocument result = Documents.with(one, options.distanceField(), new BsonDouble(distance));
    return options.includeLocs() == null
        ? result
        : Documents.with(result, options.includeLocs(), found.value().toBsonValue());
  }
}
