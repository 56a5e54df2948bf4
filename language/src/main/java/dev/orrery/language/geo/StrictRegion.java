package dev.orrery.language.geo;

import com.google.common.geometry.S2Loop;
import com.google.common.geometry.S2Point;
import com.google.common.geometry.S2Polygon;
import com.google.common.geometry.S2Polyline;
import com.google.common.geometry.S2Region;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What lies to the left of a ring, which may be most of the sphere: a polygon that is at most half
 * of it, or all but such a polygon.
 *
 * @param smaller the side of the ring that is at most half of the sphere
 * @param isComplement whether the other side is meant
 */
record StrictRegion(S2Loop loop, S2Polygon smaller, boolean isComplement) implements Region {
  static StrictRegion of(S2Loop loop) {
    boolean isSmall = loop.isNormalized();
    var side = new S2Loop(loop);
    if (!isSmall) {
      side.invert();
    }
    return new StrictRegion(loop, new S2Polygon(side), !isSmall);
  }

  @Override
  public boolean contains(Geometry stored) {
    if (stored.isStrict() || !stored.isOnEarth()) {
      return false;
    }
    Geometry other = stored.onSphere();
    return other.points().stream().allMatch(this::touches)
        && other.lines().stream().allMatch(this::contains)
        && other.polygons().stream().allMatch(this::contains);
  }

  private boolean touches(S2Point point) {
    return loop.contains(point) || loop.mayIntersect(SphereParts.cell(point));
  }

  private boolean contains(S2Polyline line) {
    return isComplement ? !SphereParts.touches(smaller, line) : SphereParts.contains(smaller, line);
  }

  private boolean contains(S2Polygon polygon) {
    return isComplement
        ? !SphereParts.touches(smaller, polygon)
        : SphereParts.contains(smaller, polygon);
  }

  @Override
  public boolean intersects(Geometry stored) {
    if (stored.isStrict() || !stored.isOnEarth()) {
      return false;
    }
    Geometry other = stored.onSphere();
    return other.points().stream().anyMatch(this::touches)
        || other.lines().stream().anyMatch(this::intersects)
        || other.polygons().stream().anyMatch(this::intersects);
  }

  private boolean intersects(S2Polyline line) {
    return isComplement ? !SphereParts.contains(smaller, line) : SphereParts.touches(smaller, line);
  }

  private boolean intersects(S2Polygon polygon) {
    return isComplement
        ? !SphereParts.contains(smaller, polygon)
        : SphereParts.touches(smaller, polygon);
  }

  @Override
  public S2Region onSphere() {
    return loop;
  }

  @Override
  public @Nullable List<FlatBox> onPlane() {
    return null;
  }
}
