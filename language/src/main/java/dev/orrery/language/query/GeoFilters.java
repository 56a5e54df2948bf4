package dev.orrery.language.query;

import static dev.orrery.language.query.FilterParser.badValue;
import static java.util.Map.entry;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.RawDocument;
import java.util.Map;
import java.util.Set;

/** {@code $geoIntersects $geoWithin $near $nearSphere}: known, but not implemented. */
final class GeoFilters {
  private static final Set<String> NEAR = Set.of("$geoNear", "$near", "$nearSphere");

  static final Map<String, FilterOperator> OPERATORS =
      Map.ofEntries(
          entry("$geoIntersects", GeoFilters::refuse),
          entry("$geoNear", GeoFilters::refuseLateNear),
          entry("$geoWithin", GeoFilters::refuse),
          entry("$near", GeoFilters::refuseLateNear),
          entry("$nearSphere", GeoFilters::refuseLateNear),
          entry("$within", GeoFilters::refuse));

  private GeoFilters() {}

  /** Refuses {@code {$near: ..., $maxDistance: ...}}, which must be read as one. */
  static void refuseNear(RawDocument operators, OperatorCall.Scope scope) {
    var elements = operators.elements();
    if (!elements.next() || !NEAR.contains(elements.name())) {
      return;
    }
    var argument = elements.value();
    if (argument.isDocument() || argument.isArray()) {
      if (!scope.context().allows(FilterContext.Feature.NEAR)) {
        throw new CommandException(
            ErrorCode.LOCATION_5626500,
            "$geoNear, $near, and $nearSphere are not allowed in this context, as these operators"
                + " require sorting geospatial data. If you do not need sort, consider using"
                + " $geoWithin instead. Check out"
                + " https://dochub.mongodb.org/core/near-sort-operation and"
                + " https://dochub.mongodb.org/core/nearSphere-sort-operationfor more details.");
      }
      throw notImplemented(elements.name());
    }
  }

  private static Filter refuseLateNear(OperatorCall call) {
    throw badValue("near must be first in: " + BsonText.document(call.siblings().toBsonDocument()));
  }

  private static Filter refuse(OperatorCall call) {
    if (call.argument().isDocument() && call.argument().asDocument().isEmpty()) {
      throw badValue("geo query doesn't have any geometry");
    }
    throw notImplemented(call.name());
  }

  private static CommandException notImplemented(String name) {
    return new CommandException(ErrorCode.NOT_IMPLEMENTED, name + " is not implemented");
  }
}
