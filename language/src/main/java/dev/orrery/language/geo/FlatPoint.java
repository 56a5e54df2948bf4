package dev.orrery.language.geo;

import com.google.common.geometry.S2Point;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.DoubleText;
import dev.orrery.value.BsonNumbers;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawValue;
import org.bson.BsonType;
import org.jspecify.annotations.Nullable;

/** A pair of coordinates: a place on the plane, or longitude and latitude in degrees. */
public record FlatPoint(double x, double y) {
  /**
   * Reads a pair from an array or a document, whatever the names of its fields.
   *
   * @param value null where it is missing
   * @param allowsMore whether further elements are ignored, such as an altitude
   */
  static FlatPoint parse(@Nullable RawValue value, boolean allowsMore) {
    if (!isContainer(value)) {
      throw new InvalidGeometryException(
          "Point must be an array or object, instead got type " + typeName(value));
    }
    RawElements elements = value.asDocument().elements();
    double x = coordinate(elements);
    double y = coordinate(elements);
    if (!allowsMore && elements.next()) {
      throw new InvalidGeometryException("Point must only contain two numeric elements");
    }
    if (!Double.isFinite(x) || !Double.isFinite(y)) {
      throw new InvalidGeometryException("Point coordinates must be finite numbers");
    }
    return new FlatPoint(x, y);
  }

  private static double coordinate(RawElements elements) {
    RawValue value = elements.next() ? elements.value() : null;
    if (value == null || !value.isNumber()) {
      throw new InvalidGeometryException(
          "Point must only contain numeric elements, instead got type " + typeName(value));
    }
    return BsonNumbers.nearestDouble(value);
  }

  static boolean isContainer(@Nullable RawValue value) {
    return value != null && (value.isDocument() || value.isArray());
  }

  static String typeName(@Nullable RawValue value) {
    return value == null ? "missing" : BsonText.typeName(BsonType.findByValue(value.type()));
  }

  /** Whether it is a place on Earth. */
  boolean isOnEarth() {
    return Math.abs(x) <= 180 && Math.abs(y) <= 90;
  }

  /** The place on the sphere, which must be one. */
  S2Point onSphere() {
    if (!isOnEarth()) {
      throw new InvalidGeometryException(
          "Longitude/latitude is out of bounds, lng: %s lat: %s"
              .formatted(DoubleText.brief(x), DoubleText.brief(y)));
    }
    double latitude = Math.toRadians(y);
    double longitude = Math.toRadians(x);
    // Keys of indexes come from it, which must be the same on every machine.
    double width = StrictMath.cos(latitude);
    return new S2Point(
        StrictMath.cos(longitude) * width,
        StrictMath.sin(longitude) * width,
        StrictMath.sin(latitude));
  }

  double distance(FlatPoint other) {
    return Math.hypot(x - other.x, y - other.y);
  }
}
