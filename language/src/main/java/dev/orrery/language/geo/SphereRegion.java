package dev.orrery.language.geo;

import com.google.common.geometry.S2Point;
import com.google.common.geometry.S2Polygon;
import com.google.common.geometry.S2Polyline;
import com.google.common.geometry.S2Region;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The area of a {@code $geometry}. Something is in it if one of its polygons holds it; what is made
 * of parts is if each part is.
 */
record SphereRegion(Geometry geometry) implements Region {
  @Override
  public boolean contains(Geometry stored) {
    if (stored.isStrict() || !stored.isOnEarth()) {
      return false;
    }
    Geometry other = stored.onSphere();
    return other.points().stream().allMatch(this::contains)
        && other.lines().stream().allMatch(this::contains)
        && other.polygons().stream().allMatch(this::contains);
  }

  private boolean contains(S2Point point) {
    return geometry.polygons().stream().anyMatch(polygon -> SphereParts.touches(polygon, point));
  }

  private boolean contains(S2Polyline line) {
    return geometry.polygons().stream().anyMatch(polygon -> SphereParts.contains(polygon, line));
  }

  private boolean contains(S2Polygon other) {
    return geometry.polygons().stream().anyMatch(polygon -> SphereParts.contains(polygon, other));
  }

  @Override
  public boolean intersects(Geometry stored) {
    if (stored.isStrict() || !stored.isOnEarth()) {
      return false;
    }
    Geometry other = stored.onSphere();
    return other.points().stream().anyMatch(this::intersects)
        || other.lines().stream().anyMatch(this::intersects)
        || other.polygons().stream().anyMatch(this::intersects);
  }

  private boolean intersects(S2Point point) {
    return geometry.points().stream().anyMatch(one -> SphereParts.touches(one, point))
        || geometry.lines().stream().anyMatch(one -> SphereParts.touches(one, point))
        || contains(point);
  }

  private boolean intersects(S2Polyline line) {
    return geometry.points().stream().anyMatch(one -> SphereParts.touches(line, one))
        || geometry.lines().stream().anyMatch(one -> SphereParts.touches(one, line))
        || geometry.polygons().stream().anyMatch(one -> SphereParts.touches(one, line));
  }

  private boolean intersects(S2Polygon polygon) {
    return geometry.points().stream().anyMatch(one -> SphereParts.touches(polygon, one))
        || geometry.lines().stream().anyMatch(one -> SphereParts.touches(polygon, one))
        || geometry.polygons().stream().anyMatch(one -> SphereParts.touches(one, polygon));
  }

  @Override
  public S2Region onSphere() {
    return SphereCover.region(geometry);
  }

  @Override
  public @Nullable List<FlatBox> onPlane() {
    return null;
  }
}
