package dev.orrery.language.geo;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.BsonNumbers;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/*
 * There are two ways to write it. The older has distances beside the center, in the unit of the
 * coordinates or in radians, or the greatest one as a third coordinate:
 *
 *   {$near: [1, 2], $minDistance: 3, $maxDistance: 4}     {$nearSphere: [1, 2, 4]}
 *
 * The newer has all in one, with a center in GeoJSON and distances in meters:
 *
 *   {$near: {$geometry: {type: "Point", coordinates: [1, 2]}, $maxDistance: 4}}
 *
 * What is no center in the older way is read in the newer one. $geoNear uses the older with GeoJSON.
 */

/** Reads the condition of {@code $near}, {@code $nearSphere} and {@code $geoNear}. */
public final class NearParser {
  public static final Set<String> OPERATORS = Set.of("$geoNear", "$near", "$nearSphere");

  private NearParser() {}

  /**
   * @param operators the whole condition on a field
   */
  public static Near parse(RawDocument operators) {
    Near near = older(operators);
    if (near == null) {
      near = newer(operators);
    }
    if (near.isNearSphere() && !near.center().isOnEarth()) {
      throw badValue("Legacy point is out of bounds for spherical query");
    }
    return near;
  }

  private static @Nullable Near older(RawDocument operators) {
    Near near = null;
    double min = 0;
    Double max = null;
    RawElements elements = operators.elements();
    while (elements.next()) {
      String name = elements.name();
      RawValue value = elements.value();
      if (OPERATORS.contains(name)) {
        if (!FlatPoint.isContainer(value)) {
          return null;
        }
        near = center(value, name.equals("$nearSphere"));
      } else if (name.equals("$minDistance")) {
        requireDistance(value, name, ErrorCode.LOCATION_16893, ErrorCode.LOCATION_16894);
        min = BsonNumbers.nearestDouble(value);
      } else if (name.equals("$maxDistance")) {
        requireDistance(value, name, ErrorCode.LOCATION_16895, ErrorCode.LOCATION_16896);
        max = BsonNumbers.nearestDouble(value);
      } else if (!name.equals("$uniqueDocs")) {
        throw new CommandException(
            ErrorCode.LOCATION_34413, "invalid argument in geo near query: " + name);
      }
    }
    return near == null
        ? null
        : new Near(
            near.center(),
            near.isGeoJson(),
            near.isNearSphere(),
            min,
            max == null ? near.max() : max);
  }

  /** A point of either kind, or a pair with the greatest distance; null if it is none. */
  private static @Nullable Near center(RawValue value, boolean isNearSphere) {
    try {
      Geometry point = point(value);
      return new Near(point.pair(), !point.isLegacy(), isNearSphere, 0, Double.MAX_VALUE);
    } catch (InvalidGeometryException e) {
      return threeNumbers(value, isNearSphere); // or else it is read in the newer way
    }
  }

  private static Geometry point(RawValue value) {
    return Geometry.isPair(value)
        ? Geometry.legacy(FlatPoint.parse(value, false))
        : GeoJsonParser.point(value.asDocument());
  }

  private static @Nullable Near threeNumbers(RawValue value, boolean isNearSphere) {
    var numbers = new ArrayList<Double>();
    RawElements elements = value.asDocument().elements();
    while (elements.next()) {
      if (!elements.value().isNumber() || numbers.size() == 3) {
        return null;
      }
      numbers.add(BsonNumbers.nearestDouble(elements.value()));
    }
    if (numbers.size() < 3) {
      return null;
    }
    if (!(numbers.get(2) >= 0)) {
      throw new CommandException(ErrorCode.LOCATION_18522, "max distance must be non-negative");
    }
    var center = new FlatPoint(numbers.get(0), numbers.get(1));
    return new Near(center, false, isNearSphere, 0, numbers.get(2));
  }

  private static void requireDistance(
      RawValue value, String name, ErrorCode noNumber, ErrorCode negative) {
    if (!value.isNumber()) {
      throw new CommandException(noNumber, name + " must be a number");
    }
    if (!(BsonNumbers.nearestDouble(value) >= 0)) {
      throw new CommandException(negative, name + " must be non-negative");
    }
  }

  private static Near newer(RawDocument operators) {
    RawElements outer = operators.elements();
    if (!outer.next()) {
      throw badValue("empty geo near query object");
    }
    String operator = outer.name();
    RawValue argument = outer.value();
    if (outer.next()) {
      throw badValue(
          "geo near accepts just one argument when querying for a GeoJSON point. Extra field"
              + " found: "
              + BsonText.element(outer.name(), outer.value().toBsonValue()));
    }
    if (!FlatPoint.isContainer(argument)) {
      throw badValue("geo near query argument is not an object");
    }
    Geometry center = null;
    double min = 0;
    double max = Double.MAX_VALUE;
    RawElements elements = argument.asDocument().elements();
    while (elements.next()) {
      RawValue value = elements.value();
      switch (elements.name()) {
        case "$geometry" -> center = FlatPoint.isContainer(value) ? requirePoint(value) : center;
        case "$minDistance" -> min = distance("$minDistance", value);
        case "$maxDistance" -> max = distance("$maxDistance", value);
        default -> throw badValue("invalid argument in geo near query: " + elements.name());
      }
    }
    if (center == null) {
      throw badValue("$geometry is required for geo near query");
    }
    return new Near(center.pair(), true, operator.equals("$nearSphere"), min, max);
  }

  private static double distance(String name, RawValue value) {
    requireDistance(value, name, ErrorCode.BAD_VALUE, ErrorCode.BAD_VALUE);
    return BsonNumbers.nearestDouble(value);
  }

  private static Geometry requirePoint(RawValue value) {
    Geometry point;
    try {
      point = point(value);
    } catch (InvalidGeometryException e) {
      throw badValue(
          "invalid point in geo near query $geometry argument: %s  %s"
              .formatted(GeoText.value(value), e.getMessage()));
    }
    if (point.isLegacy()) {
      throw new CommandException(
          ErrorCode.LOCATION_16681, "$near requires geojson point, given " + GeoText.value(value));
    }
    return point;
  }

  private static CommandException badValue(String message) {
    return new CommandException(ErrorCode.BAD_VALUE, message);
  }
}
