package dev.orrery.language.geo;

import com.google.common.geometry.S2Region;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A shape of the plane: {@code $box}, {@code $center}, {@code $polygon}. Only points can be in it.
 *
 * @param bound holds all of the shape
 */
record FlatRegion(FlatBox bound, Predicate<FlatPoint> shape) implements Region {
  static FlatRegion box(FlatBox box) {
    return new FlatRegion(box, box::contains);
  }

  static FlatRegion circle(FlatPoint center, double radius) {
    return new FlatRegion(
        FlatBox.around(center, radius, radius), point -> center.distance(point) <= radius);
  }

  static FlatRegion polygon(List<FlatPoint> corners) {
    FlatBox bound = FlatBox.of(corners.get(0), corners.get(0));
    for (FlatPoint corner : corners) {
      bound =
          new FlatBox(
              Math.min(bound.left(), corner.x()),
              Math.min(bound.bottom(), corner.y()),
              Math.max(bound.right(), corner.x()),
              Math.max(bound.top(), corner.y()));
    }
    return new FlatRegion(bound, new FlatPolygon(corners));
  }

  @Override
  public boolean contains(Geometry stored) {
    return stored.pair() != null && shape.test(stored.pair());
  }

  @Override
  public boolean intersects(Geometry stored) {
    return contains(stored);
  }

  @Override
  public @Nullable S2Region onSphere() {
    return null;
  }

  @Override
  public List<FlatBox> onPlane() {
    return List.of(bound);
  }
}
