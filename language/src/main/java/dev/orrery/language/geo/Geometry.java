package dev.orrery.language.geo;

import com.google.common.geometry.S2Loop;
import com.google.common.geometry.S2Point;
import com.google.common.geometry.S2Polygon;
import com.google.common.geometry.S2Polyline;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a value of a document or a {@code $geometry} stands for: a legacy pair of coordinates, or
 * points, lines and polygons on the sphere. GeoJSON of every kind comes down to the latter.
 * Immutable; the indexes that polygons make for themselves are safe for any thread.
 *
 * @param pair the coordinates of what is a single point; null for all else
 * @param isLegacy whether it is a pair that was not written as GeoJSON: then it has no points on
 *     the sphere, as it may be nowhere there
 * @param strict a polygon whose winding tells which side is inside; then there is nothing else
 */
public record Geometry(
    @Nullable FlatPoint pair,
    boolean isLegacy,
    List<S2Point> points,
    List<S2Polyline> lines,
    List<S2Polygon> polygons,
    @Nullable S2Loop strict) {

  public Geometry {
    points = List.copyOf(points);
    lines = List.copyOf(lines);
    polygons = List.copyOf(polygons);
  }

  static Geometry legacy(FlatPoint pair) {
    return new Geometry(pair, true, List.of(), List.of(), List.of(), null);
  }

  static Geometry point(FlatPoint pair) {
    return new Geometry(pair, false, List.of(pair.onSphere()), List.of(), List.of(), null);
  }

  static Geometry points(List<S2Point> points) {
    return new Geometry(null, false, points, List.of(), List.of(), null);
  }

  static Geometry lines(List<S2Polyline> lines) {
    return new Geometry(null, false, List.of(), lines, List.of(), null);
  }

  static Geometry polygons(List<S2Polygon> polygons) {
    return new Geometry(null, false, List.of(), List.of(), polygons, null);
  }

  static Geometry strict(S2Loop loop) {
    return new Geometry(null, false, List.of(), List.of(), List.of(), loop);
  }

  /**
   * Reads what a document holds.
   *
   * @param name that of the field, for messages
   * @throws InvalidGeometryException if it is none
   */
  static Geometry stored(String name, RawValue value) {
    if (!FlatPoint.isContainer(value)) {
      throw new InvalidGeometryException(
          "geo element must be an array or object: " + GeoText.element(name, value));
    }
    return isPair(value)
        ? legacy(FlatPoint.parse(value, true))
        : GeoJsonParser.parse(value.asDocument());
  }

  /** The same; null if it is none. */
  public static @Nullable Geometry find(@Nullable RawValue value) {
    if (!FlatPoint.isContainer(value)) {
      return null;
    }
    try {
      return stored("", value);
    } catch (InvalidGeometryException e) {
      return null; // most values that are no geometry are not meant to be one
    }
  }

  /** Whether it is read as a pair of coordinates: an array, or a document that begins so. */
  static boolean isPair(RawValue value) {
    if (value.isArray()) {
      return true;
    }
    RawElements elements = value.asDocument().elements();
    return elements.next() && elements.value().isNumber();
  }

  boolean isStrict() {
    return strict != null;
  }

  /** Whether it is, or can be taken to, the sphere. */
  boolean isOnEarth() {
    return !isLegacy || pair.isOnEarth();
  }

  /** The same on the sphere, where it must be possible. */
  Geometry onSphere() {
    return isLegacy ? point(pair) : this;
  }
}
