package dev.orrery.language.geo;

import com.google.common.geometry.S1Angle;
import com.google.common.geometry.S2Cap;
import com.google.common.geometry.S2Point;
import com.google.common.geometry.S2Polygon;
import com.google.common.geometry.S2Polyline;
import com.google.common.geometry.S2Region;
import java.util.ArrayList;
import java.util.List;

/**
 * All that is at most so far from a point of the sphere: {@code $centerSphere}.
 *
 * @param radius in radians
 */
record SphereCap(FlatPoint center, S2Point axis, double radius) implements Region {
  /** How much wider than they must be rectangles around a cap are made. */
  private static final double ROUNDING_DEGREES = 1e-9;

  static SphereCap of(FlatPoint center, double radius) {
    return new SphereCap(center, center.onSphere(), Math.min(radius, Math.PI));
  }

  @Override
  public boolean contains(Geometry stored) {
    if (stored.isStrict() || !stored.isOnEarth()) {
      return false;
    }
    Geometry other = stored.onSphere();
    return other.points().stream().allMatch(this::contains)
        && other.lines().stream().allMatch(line -> isWithin(farthest(line)))
        && other.polygons().stream().allMatch(polygon -> isWithin(farthest(polygon)));
  }

  /** By the square of the chord, which is exact for a point that is the center. */
  private boolean contains(S2Point point) {
    double half = Math.sin(radius / 2);
    return axis.getDistance2(point) <= 4 * half * half;
  }

  private double farthest(S2Polyline line) {
    return Math.PI - SphereParts.distance(axis.neg(), line);
  }

  private double farthest(S2Polygon polygon) {
    return Math.PI - SphereParts.distance(axis.neg(), polygon);
  }

  private boolean isWithin(double distance) {
    return distance <= radius;
  }

  @Override
  public boolean intersects(Geometry stored) {
    if (stored.isStrict() || !stored.isOnEarth()) {
      return false;
    }
    Geometry other = stored.onSphere();
    return other.points().stream().anyMatch(this::contains)
        || other.lines().stream().anyMatch(line -> isWithin(SphereParts.distance(axis, line)))
        || other.polygons().stream().anyMatch(one -> isWithin(SphereParts.distance(axis, one)));
  }

  @Override
  public S2Region onSphere() {
    return S2Cap.fromAxisAngle(axis, S1Angle.radians(radius));
  }

  /** One rectangle, or two where the cap lies on both sides of the 180th meridian. */
  @Override
  public List<FlatBox> onPlane() {
    double height = Math.toDegrees(radius) + ROUNDING_DEGREES;
    double bottom = center.y() - height;
    double top = center.y() + height;
    double width = halfWidth(center.y(), radius) + ROUNDING_DEGREES;
    if (width >= 180) {
      return List.of(new FlatBox(-180, bottom, 180, top));
    }
    var boxes = new ArrayList<FlatBox>();
    boxes.add(new FlatBox(center.x() - width, bottom, center.x() + width, top));
    if (center.x() - width < -180) {
      boxes.add(new FlatBox(center.x() - width + 360, bottom, 180, top));
    }
    if (center.x() + width > 180) {
      boxes.add(new FlatBox(-180, bottom, center.x() + width - 360, top));
    }
    return boxes;
  }

  /** How many degrees of longitude a cap reaches to each side; 180 when it holds a pole. */
  static double halfWidth(double latitude, double radius) {
    double toPole = Math.PI / 2 - Math.abs(Math.toRadians(latitude));
    return radius >= toPole || radius >= Math.PI / 2
        ? 180
        : Math.toDegrees(Math.asin(Math.sin(radius) / Math.sin(toPole)));
  }
}
