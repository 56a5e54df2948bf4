package dev.orrery.language.geo;

import dev.orrery.language.limit.Allowance;
import java.util.List;
import java.util.function.Predicate;

/*
 * A point is inside if a ray from it to the right crosses an odd number of edges. On the border
 * MongoDB decides as follows: corners are inside, and so are points on an edge along an axis; a
 * point on a slanting edge counts that edge as crossed, so that it is inside at a left border and
 * outside at a right one.
 */

/** The points inside of a polygon of the plane, which may cross itself. */
record FlatPolygon(List<FlatPoint> corners) implements Predicate<FlatPoint> {
  FlatPolygon {
    corners = List.copyOf(corners);
  }

  @Override
  public boolean test(FlatPoint point) {
    Allowance.current().steps(corners.size() / 16);
    boolean isInside = false;
    FlatPoint from = corners.get(corners.size() - 1);
    for (FlatPoint to : corners) {
      if (isOnAxis(point, from, to)) {
        return true;
      }
      isInside ^= isLeftOf(point, from, to);
      from = to;
    }
    return isInside;
  }

  /** Whether the point is a corner, or on an edge along an axis. */
  private static boolean isOnAxis(FlatPoint point, FlatPoint from, FlatPoint to) {
    if (point.equals(from) || point.equals(to)) {
      return true;
    }
    boolean isLevel = from.y() == to.y() && point.y() == from.y();
    if (isLevel && isBetween(point.x(), from.x(), to.x())) {
      return true;
    }
    boolean isUpright = from.x() == to.x() && point.x() == from.x() && from.y() != to.y();
    return isUpright
        && point.y() > Math.min(from.y(), to.y())
        && point.y() <= Math.max(from.y(), to.y());
  }

  private static boolean isBetween(double value, double one, double other) {
    return value >= Math.min(one, other) && value <= Math.max(one, other);
  }

  /** Whether a ray to the right meets the edge, of which the lower end does not count. */
  private static boolean isLeftOf(FlatPoint point, FlatPoint from, FlatPoint to) {
    boolean isBeside =
        point.y() > Math.min(from.y(), to.y())
            && point.y() <= Math.max(from.y(), to.y())
            && point.x() <= Math.max(from.x(), to.x());
    if (!isBeside) {
      return false;
    }
    double met = (point.y() - from.y()) * (to.x() - from.x()) / (to.y() - from.y()) + from.x();
    return from.x() == to.x() || point.x() <= met;
  }
}
