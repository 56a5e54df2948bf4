package dev.orrery.language.geo;

import dev.orrery.value.BsonNumbers;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/** Reads the area of {@code $geoWithin} and {@code $geoIntersects}. */
public final class RegionParser {
  private RegionParser() {}

  /**
   * What {@code {$geometry: ...}} or another shape stands for.
   *
   * @param isWithin whether something is to lie in it; else it only has to touch
   * @param operators the whole condition, for messages
   * @throws InvalidGeometryException in MongoDB's words
   */
  public static Region parse(
      String shape, RawValue value, boolean isWithin, RawDocument operators) {
    Region region = FlatPoint.isContainer(value) ? parseShape(shape, value) : null;
    if (region == null) {
      throw new InvalidGeometryException("unknown geo specifier: " + GeoText.element(shape, value));
    }
    boolean hasArea =
        !(region instanceof SphereRegion sphere) || !sphere.geometry().polygons().isEmpty();
    if (isWithin && !hasArea) {
      throw new InvalidGeometryException(
          "$within not supported with provided geometry: " + GeoText.document(operators));
    }
    if (!isWithin && region.onSphere() == null) {
      throw new InvalidGeometryException(
          "$geoIntersect not supported with provided geometry: " + GeoText.document(operators));
    }
    return region;
  }

  private static @Nullable Region parseShape(String shape, RawValue value) {
    return switch (shape) {
      case "$box" -> box(value.asDocument().elements());
      case "$center" -> circle(value.asDocument().elements(), false);
      case "$centerSphere" -> circle(value.asDocument().elements(), true);
      case "$polygon" -> polygon(value.asDocument().elements());
      case "$geometry" -> geometry(value);
      default -> null;
    };
  }

  private static @Nullable RawValue next(RawElements elements) {
    return elements.next() ? elements.value() : null;
  }

  private static Region box(RawElements corners) {
    FlatPoint one = FlatPoint.parse(next(corners), false);
    FlatPoint other = FlatPoint.parse(next(corners), false);
    return FlatRegion.box(FlatBox.of(one, other));
  }

  private static Region circle(RawElements parts, boolean isOnSphere) {
    FlatPoint center = FlatPoint.parse(next(parts), false);
    if (isOnSphere) {
      center.onSphere(); // refuses what is not there, before the radius is looked at
    }
    RawValue radius = next(parts);
    double number =
        radius != null && radius.isNumber() ? BsonNumbers.nearestDouble(radius) : Double.NaN;
    if (!(number >= 0)) {
      throw new InvalidGeometryException(
          "Radius must be a non-negative number: " + GeoText.value(radius));
    }
    if (parts.next()) {
      throw new InvalidGeometryException(
          "Only 2 fields allowed for circular region, but more were provided");
    }
    return isOnSphere ? SphereCap.of(center, number) : FlatRegion.circle(center, number);
  }

  private static Region polygon(RawElements elements) {
    var corners = new ArrayList<FlatPoint>();
    while (elements.next()) {
      corners.add(FlatPoint.parse(elements.value(), false));
    }
    if (corners.size() < 3) {
      throw new InvalidGeometryException(
          "Polygon must have at least 3 points, instead got " + corners.size() + " vertices");
    }
    return FlatRegion.polygon(corners);
  }

  private static Region geometry(RawValue value) {
    Geometry geometry =
        Geometry.isPair(value)
            ? Geometry.legacy(FlatPoint.parse(value, false))
            : GeoJsonParser.parse(value.asDocument());
    if (geometry.isStrict()) {
      return StrictRegion.of(geometry.strict());
    }
    return geometry.isOnEarth()
        ? new SphereRegion(geometry.onSphere())
        : FlatRegion.box(FlatBox.of(geometry.pair(), geometry.pair()));
  }
}
