package dev.orrery.language.query;

import static dev.orrery.language.query.FilterParser.badValue;
import static java.util.Map.entry;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Work;
import dev.orrery.language.geo.Geometry;
import dev.orrery.language.geo.InvalidGeometryException;
import dev.orrery.language.geo.Near;
import dev.orrery.language.geo.NearParser;
import dev.orrery.language.geo.Region;
import dev.orrery.language.geo.RegionParser;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawValue;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** {@code $geoIntersects $geoWithin $near $nearSphere}: what lies where, and how far away. */
public final class GeoFilters {
  static final Map<String, FilterOperator> OPERATORS =
      Map.ofEntries(
          entry("$geoIntersects", call -> parseRegion(call, false)),
          entry("$geoNear", GeoFilters::refuseLateNear),
          entry("$geoWithin", call -> parseRegion(call, true)),
          entry("$near", GeoFilters::refuseLateNear),
          entry("$nearSphere", GeoFilters::refuseLateNear),
          entry("$within", call -> parseRegion(call, true)));

  private GeoFilters() {}

  /** A geometry that lies in a region, or touches it. Two are equal if they are written so. */
  public static final class InRegion implements ValuePredicate {
    private final Region region;
    private final boolean isWithin;
    private final BsonDocument document;

    InRegion(Region region, boolean isWithin, BsonDocument document) {
      this.region = region;
      this.isWithin = isWithin;
      this.document = document;
    }

    public Region region() {
      return region;
    }

    @Override
    public boolean test(@Nullable RawValue value, MatchDetails details) {
      if (value == null || !(value.isDocument() || value.isArray())) {
        return false;
      }
      Work.countBytes(value.length());
      Geometry geometry = Geometry.find(value);
      return geometry != null
          && (isWithin ? region.contains(geometry) : region.intersects(geometry));
    }

    @Override
    public BsonDocument document() {
      return document;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof InRegion one && document.equals(one.document);
    }

    @Override
    public int hashCode() {
      return Objects.hash(isWithin, document.size());
    }
  }

  /**
   * Nearest first: an order more than a condition, so that every document satisfies it. Whoever
   * plans a query finds it, and lets an index give the documents in that order, as far as they are
   * near enough.
   */
  public record ByDistance(Near near, BsonDocument document) implements ValuePredicate {
    @Override
    public boolean test(@Nullable RawValue value, MatchDetails details) {
      return true;
    }
  }

  /**
   * The condition of a filter that asks for the nearest first; null if there is none. It must be
   * the filter itself, or one of those that all must hold.
   */
  public static Filter.@Nullable Field findNear(Filter filter) {
    long count = countNear(filter);
    if (count == 0) {
      return null;
    }
    if (count > 1) {
      throw badValue("Too many geoNear expressions");
    }
    Filter.Field near = topNear(filter);
    if (near == null) {
      throw badValue("geo $near must be top-level expr");
    }
    return near;
  }

  private static Filter.@Nullable Field topNear(Filter filter) {
    if (filter instanceof Filter.Field field && field.predicate() instanceof ByDistance) {
      return field;
    }
    Filter.Field near = null;
    for (Filter child : filter instanceof Filter.And and ? and.children() : List.<Filter>of()) {
      near = near == null ? topNear(child) : near;
    }
    return near;
  }

  private static long countNear(Filter filter) {
    if (filter instanceof Filter.Field field) {
      return countNear(field.predicate());
    }
    if (filter instanceof Filter.Not not) {
      return countNear(not.child());
    }
    List<Filter> children = List.of();
    if (filter instanceof Filter.And and) {
      children = and.children();
    } else if (filter instanceof Filter.Or or) {
      children = or.children();
    } else if (filter instanceof Filter.Nor nor) {
      children = nor.children();
    }
    long count = 0;
    for (Filter child : children) {
      count += countNear(child);
    }
    return count;
  }

  private static long countNear(ValuePredicate predicate) {
    if (predicate instanceof ArrayFilters.ElementDocument element) {
      return countNear(element.filter());
    }
    if (predicate instanceof ArrayFilters.ElementValue element) {
      return countNear(element.filter());
    }
    return predicate instanceof ByDistance ? 1 : 0;
  }

  /** Reads {@code {$near: ..., $maxDistance: ...}}, which is one condition; null for others. */
  static @Nullable Filter parseNear(
      FieldPath path, RawDocument operators, OperatorCall.Scope scope) {
    RawElements elements = operators.elements();
    if (!elements.next() || !NearParser.OPERATORS.contains(elements.name())) {
      return null;
    }
    RawValue argument = elements.value();
    if (!argument.isDocument() && !argument.isArray()) {
      return null;
    }
    if (!scope.context().allows(FilterContext.Feature.NEAR)) {
      throw new CommandException(
          ErrorCode.LOCATION_5626500,
          "$geoNear, $near, and $nearSphere are not allowed in this context, as these operators"
              + " require sorting geospatial data. If you do not need sort, consider using"
              + " $geoWithin instead. Check out"
              + " https://dochub.mongodb.org/core/near-sort-operation and"
              + " https://dochub.mongodb.org/core/nearSphere-sort-operationfor more details.");
    }
    Near near = NearParser.parse(operators);
    return new Filter.Field(path, new ByDistance(near, operators.toBsonDocument()));
  }

  private static Filter refuseLateNear(OperatorCall call) {
    throw badValue("near must be first in: " + BsonText.document(call.siblings().toBsonDocument()));
  }

  private static Filter parseRegion(OperatorCall call, boolean isWithin) {
    requireAlone(call);
    if (!call.argument().isDocument()) {
      throw badValue("geometry must be an object");
    }
    RawElements shapes = call.argument().asDocument().elements();
    if (!shapes.next()) {
      throw badValue("geo query doesn't have any geometry");
    }
    Region region;
    try {
      region = RegionParser.parse(shapes.name(), shapes.value(), isWithin, call.siblings());
    } catch (InvalidGeometryException e) {
      throw badValue(e.getMessage());
    }
    if (shapes.next()) {
      throw badValue(
          call.name()
              + " doesn't accept multiple shapes "
              + BsonText.element(call.name(), call.argument().toBsonValue()));
    }
    return call.filter(new InRegion(region, isWithin, call.siblings().toBsonDocument()));
  }

  /** No other operator may stand beside it. */
  private static void requireAlone(OperatorCall call) {
    RawElements siblings = call.siblings().elements();
    siblings.next();
    if (!siblings.name().equals(call.name())) {
      throw badValue(
          "invalid geo query predicate: " + BsonText.document(call.siblings().toBsonDocument()));
    }
    if (siblings.next()) {
      throw badValue(
          "can't parse extra field: "
              + BsonText.element(siblings.name(), siblings.value().toBsonValue()));
    }
  }
}
