package dev.orrery.language.geo;

import com.google.common.geometry.S1Angle;
import com.google.common.geometry.S2Cell;
import com.google.common.geometry.S2CellId;
import com.google.common.geometry.S2Point;
import com.google.common.geometry.S2Polygon;
import com.google.common.geometry.S2Polyline;
import java.util.List;

/*
 * As in MongoDB a point is as large as the smallest cell that holds it, about a centimetre: it
 * touches what touches this cell. So points on the border of a polygon are in it.
 */

/** How points, lines and polygons on the sphere lie to each other. */
final class SphereParts {
  private static final double LENGTH_ERROR_RADIANS = Math.toRadians(1e-10);

  private SphereParts() {}

  static S2Cell cell(S2Point point) {
    return new S2Cell(S2CellId.fromPoint(point));
  }

  static boolean touches(S2Polygon polygon, S2Point point) {
    return polygon.contains(point) || polygon.mayIntersect(cell(point));
  }

  static boolean touches(S2Polyline line, S2Point point) {
    return line.mayIntersect(cell(point));
  }

  static boolean touches(S2Point one, S2Point other) {
    return S2CellId.fromPoint(one).equals(S2CellId.fromPoint(other));
  }

  static boolean touches(S2Polygon polygon, S2Polyline line) {
    return !polygon.intersectWithPolyline(line).isEmpty();
  }

  /** Whether a polygon holds all of a line, but for an error of rounding. */
  static boolean contains(S2Polygon polygon, S2Polyline line) {
    List<S2Polyline> inside = polygon.intersectWithPolyline(line);
    return inside.size() == 1
        && line.getArclengthAngle().radians() - inside.get(0).getArclengthAngle().radians()
            <= LENGTH_ERROR_RADIANS;
  }

  /** The angle to the nearest point of a line. */
  static double distance(S2Point from, S2Polyline line) {
    return new S1Angle(from, line.project(from)).radians();
  }

  /** The angle to the nearest point of a polygon, 0 inside. */
  static double distance(S2Point from, S2Polygon polygon) {
    return new S1Angle(from, polygon.project(from)).radians();
  }
}
