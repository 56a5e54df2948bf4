package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.Documents;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.aggregate.stage.Transformed;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.FilterContext;
import dev.orrery.language.query.FilterParser;
import dev.orrery.value.RawDocument;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/**
 * {@code $match}: lets documents pass that a filter matches.
 *
 * @param hasVariables whether it may read variables that an outer $lookup binds
 */
record MatchStage(
    Filter filter, RawDocument document, PipelineContext context, boolean hasVariables)
    implements Stage {
  private static final String NEAR =
      "$geoNear, $near, and $nearSphere are not allowed in this context, as these operators"
          + " require sorting geospatial data. If you do not need sort, consider using $geoWithin"
          + " instead. Check out https://dochub.mongodb.org/core/near-sort-operation and"
          + " https://dochub.mongodb.org/core/nearSphere-sort-operationfor more details.";

  static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    if (!argument.isDocument()) {
      throw new CommandException(
          ErrorCode.LOCATION_15959, "the match filter must be an expression in an object");
    }
    refuseNear(argument);
    return List.of(of(argument.asDocument(), context));
  }

  static MatchStage of(BsonDocument filter, PipelineContext context) {
    var document = RawDocument.of(filter);
    Filter parsed = FilterParser.parse(document, filters(context));
    boolean hasVariables = !context.variables().isEmpty() && mentions(filter, "$expr");
    return new MatchStage(parsed, document, context, hasVariables);
  }

  private static FilterContext filters(PipelineContext context) {
    return context
        .filters()
        .allowing(EnumSet.complementOf(EnumSet.of(FilterContext.Feature.WHERE)));
  }

  private static void refuseNear(BsonValue value) {
    if (value.isArray()) {
      value.asArray().forEach(MatchStage::refuseNear);
    } else if (value.isDocument()) {
      value
          .asDocument()
          .forEach(
              (name, inner) -> {
                if (name.equals("$near") || name.equals("$nearSphere") || name.equals("$geoNear")) {
                  throw new CommandException(ErrorCode.LOCATION_5626500, NEAR);
                }
                refuseNear(inner);
              });
    }
  }

  /** The filter with the variables that an outer $lookup bound in this run. */
  Filter bound(PipelineRun run) {
    if (!hasVariables) {
      return filter;
    }
    var expressions = context.expressions();
    for (var variable : context.variables().entrySet()) {
      expressions =
          expressions.withConstant(variable.getKey(), run.scope().variable(variable.getValue()));
    }
    return FilterParser.parse(document, filters(context.with(expressions)));
  }

  private static boolean mentions(BsonValue value, String name) {
    if (value.isArray()) {
      return value.asArray().stream().anyMatch(element -> mentions(element, name));
    }
    return value.isDocument()
        && value.asDocument().entrySet().stream()
            .anyMatch(field -> field.getKey().equals(name) || mentions(field.getValue(), name));
  }

  @Override
  public String name() {
    return "$match";
  }

  @Override
  public BsonDocument specification() {
    return new BsonDocument("$match", document.toBsonDocument());
  }

  @Override
  public boolean addDependencies(Dependencies dependencies) {
    Set<String> paths = FilterFields.of(document.toBsonDocument(), context);
    if (paths == null) {
      dependencies.addWholeDocument();
    } else {
      paths.forEach(dependencies::addField);
    }
    return false;
  }

  @Override
  public boolean isPerDocument() {
    return true;
  }

  @Override
  public DocumentStream open(DocumentStream input, PipelineRun run) {
    Filter bound = bound(run);
    return new Transformed(input, one -> bound.matches(Documents.encode(one)) ? one : null);
  }
}
