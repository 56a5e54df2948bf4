package dev.orrery.language.geo;

import com.google.common.geometry.S1Angle;
import com.google.common.geometry.S2Cell;
import com.google.common.geometry.S2CellId;
import com.google.common.geometry.S2EdgeUtil;
import com.google.common.geometry.S2Point;
import com.google.common.geometry.S2Polygon;
import com.google.common.geometry.S2Polyline;
import dev.orrery.language.limit.Allowance;
import java.util.List;

/*
 * As in MongoDB a point is as large as the smallest cell that holds it, about a centimetre: it
 * touches what touches this cell. So points on the border of a polygon are in it.
 */

/** How points, lines and polygons on the sphere lie to each other. */
final class SphereParts {
  /** A look at so many vertices takes about as long as one round of any other loop. */
  private static final int VERTICES_PER_STEP = 16;

  private static final double LENGTH_ERROR_RADIANS = Math.toRadians(1e-10);

  private SphereParts() {}

  static S2Cell cell(S2Point point) {
    return new S2Cell(S2CellId.fromPoint(point));
  }

  static boolean touches(S2Polygon polygon, S2Point point) {
    Allowance.current().step();
    return polygon.contains(point) || polygon.mayIntersect(cell(point));
  }

  static boolean touches(S2Polyline line, S2Point point) {
    Allowance.current().steps(1 + line.numVertices() / VERTICES_PER_STEP);
    return line.mayIntersect(cell(point));
  }

  static boolean touches(S2Point one, S2Point other) {
    Allowance.current().step();
    return S2CellId.fromPoint(one).equals(S2CellId.fromPoint(other));
  }

  /** Whether two lines cross or share a vertex. */
  static boolean touches(S2Polyline one, S2Polyline other) {
    Allowance allowance = Allowance.current();
    allowance.step();
    if (!one.getRectBound().intersects(other.getRectBound())) {
      return false;
    }
    for (int i = 1; i < one.numVertices(); i++) {
      var edge = new S2EdgeUtil.EdgeCrosser(one.vertex(i - 1), one.vertex(i), other.vertex(0));
      for (int j = 1; j < other.numVertices(); j++) {
        allowance.step();
        if (edge.robustCrossing(other.vertex(j)) >= 0) {
          return true;
        }
      }
    }
    return false;
  }

  static boolean contains(S2Polygon polygon, S2Polygon other) {
    Allowance.current().steps(1 + other.getNumVertices() / VERTICES_PER_STEP);
    return polygon.contains(other);
  }

  static boolean touches(S2Polygon polygon, S2Polygon other) {
    Allowance.current().steps(1 + other.getNumVertices() / VERTICES_PER_STEP);
    return polygon.intersects(other);
  }

  static boolean touches(S2Polygon polygon, S2Polyline line) {
    Allowance.current().steps(1 + line.numVertices() / VERTICES_PER_STEP);
    return !polygon.intersectWithPolyline(line).isEmpty();
  }

  /** Whether a polygon holds all of a line, but for an error of rounding. */
  static boolean contains(S2Polygon polygon, S2Polyline line) {
    Allowance.current().steps(1 + line.numVertices() / VERTICES_PER_STEP);
    List<S2Polyline> inside = polygon.intersectWithPolyline(line);
    return inside.size() == 1
        && line.getArclengthAngle().radians() - inside.get(0).getArclengthAngle().radians()
            <= LENGTH_ERROR_RADIANS;
  }

  /** The angle to the nearest point of a line. */
  static double distance(S2Point from, S2Polyline line) {
    Allowance.current().steps(1 + line.numVertices() / VERTICES_PER_STEP);
    return new S1Angle(from, line.project(from)).radians();
  }

  /** The angle to the nearest point of a polygon, 0 inside. */
  static double distance(S2Point from, S2Polygon polygon) {
    Allowance.current().steps(1 + polygon.getNumVertices() / VERTICES_PER_STEP);
    return new S1Angle(from, polygon.project(from)).radians();
  }
}
