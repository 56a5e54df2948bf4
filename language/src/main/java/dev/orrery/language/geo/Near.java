package dev.orrery.language.geo;

import com.google.common.geometry.S1Angle;
import com.google.common.geometry.S2Point;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawValue;
import org.jspecify.annotations.Nullable;

/**
 * The center of {@code $near} or {@code $nearSphere}, and how far from it documents may be.
 *
 * @param isGeoJson whether it was written so: then distances are meters
 * @param isNearSphere whether the operator is {@code $nearSphere}
 * @param min the least distance, in the unit of the query
 * @param max the greatest distance; {@link Double#MAX_VALUE} for any
 */
public record Near(
    FlatPoint center, boolean isGeoJson, boolean isNearSphere, double min, double max) {
  /** MongoDB's radius of Earth. */
  public static final double EARTH_METERS = 6_378_100;

  /** Beyond it MongoDB takes degrees of longitude for as long as they are there. */
  private static final double LATITUDE_LAST = 89;

  /** What a document on the same meridian or parallel may seem to be farther away than it is. */
  private static final double ROUNDING = 1e-9;

  /** Whether distances are those on the sphere. */
  public boolean isOnSphere() {
    return isGeoJson || isNearSphere;
  }

  /** How long one unit of the search is in the unit of the query; it measures in radians there. */
  public double unit() {
    return isGeoJson ? EARTH_METERS : 1;
  }

  /** The center on the sphere. */
  public S2Point axis() {
    return center.onSphere();
  }

  /**
   * What of a document is nearest.
   *
   * @param distance in radians, or as far as it is on the plane
   * @param value what is there
   */
  public record Found(double distance, RawValue value) {}

  /** The nearest geometry at a path of a document; null if there is none. */
  public @Nullable Found nearest(RawDocument document, FieldPath path) {
    var search = new Search(isOnSphere() ? axis() : null);
    path.visit(
        document,
        FieldPath.LeafArrays.KEEP,
        (value, index) -> {
          search.offer(value);
          return false;
        });
    return search.found;
  }

  /**
   * Whether a 2d index finds a document that is so far away on the sphere. The index is flat, and
   * MongoDB looks in it as far as that distance can reach in degrees, to the sides of the center
   * but not over the 180th meridian or a pole: what lies beyond is found when it is far away, and
   * not at all when it is near.
   *
   * @param distance in radians
   */
  public boolean isReachedOnPlane(RawDocument document, FieldPath path, double distance) {
    Found flat = new Near(center, false, false, 0, Double.MAX_VALUE).nearest(document, path);
    return flat != null && flat.distance() <= reachOnPlane(Math.toDegrees(distance));
  }

  /** Degrees of longitude are the shorter the nearer they are to a pole; all in degrees. */
  private double reachOnPlane(double distance) {
    double top = Math.min(LATITUDE_LAST, center.y() + distance);
    double bottom = Math.max(-LATITUDE_LAST, center.y() - distance);
    double shortest = Math.min(Math.cos(Math.toRadians(top)), Math.cos(Math.toRadians(bottom)));
    return (distance + distance / shortest) * (1 + ROUNDING);
  }

  /** One document on the way. */
  private final class Search {
    private final @Nullable S2Point axis;
    private @Nullable Found found;

    Search(@Nullable S2Point axis) {
      this.axis = axis;
    }

    /** A geometry, or an array or document of them. */
    void offer(@Nullable RawValue value) {
      if (!FlatPoint.isContainer(value)) {
        return;
      }
      Geometry whole = Geometry.find(value);
      if (whole != null) {
        measure(whole, value);
        return;
      }
      RawElements elements = value.asDocument().elements();
      while (elements.next()) {
        Geometry part = Geometry.find(elements.value());
        if (part != null) {
          measure(part, elements.value());
        }
      }
    }

    private void measure(Geometry geometry, RawValue value) {
      double distance = axis == null ? onPlane(geometry) : onSphere(geometry);
      if (!Double.isNaN(distance) && (found == null || distance < found.distance)) {
        found = new Found(distance, value);
      }
    }

    private double onPlane(Geometry geometry) {
      return geometry.pair() == null ? Double.NaN : geometry.pair().distance(center);
    }

    private double onSphere(Geometry geometry) {
      if (geometry.isStrict() || !geometry.isOnEarth()) {
        return Double.NaN;
      }
      Geometry there = geometry.onSphere();
      double least = Double.POSITIVE_INFINITY;
      for (S2Point point : there.points()) {
        least = Math.min(least, new S1Angle(axis, point).radians());
      }
      for (var line : there.lines()) {
        least = Math.min(least, SphereParts.distance(axis, line));
      }
      for (var polygon : there.polygons()) {
        least = Math.min(least, SphereParts.distance(axis, polygon));
      }
      return least;
    }
  }
}
