package dev.orrery.language.geo;

import com.google.common.geometry.S2Loop;
import com.google.common.geometry.S2Point;
import com.google.common.geometry.S2Polygon;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes polygons of their rings: first the shell, then its holes, whatever their winding. */
final class PolygonParser {
  private final RawValue coordinates;
  private final List<RawValue> rings = new ArrayList<>();
  private final List<S2Loop> loops = new ArrayList<>();

  private PolygonParser(RawValue coordinates) {
    this.coordinates = coordinates;
  }

  /** The polygon of {@code [[[0, 0], [1, 0], [1, 1], [0, 0]]]}; it covers the smaller side. */
  static S2Polygon parse(@Nullable RawValue coordinates) {
    if (coordinates == null || !coordinates.isArray()) {
      throw new InvalidGeometryException(
          "Polygon coordinates must be an array, instead got type "
              + FlatPoint.typeName(coordinates));
    }
    return new PolygonParser(coordinates).polygon();
  }

  /** A single ring that has its inside to the left, however much that is. */
  static S2Loop strict(@Nullable RawValue coordinates) {
    if (coordinates == null || !coordinates.isArray()) {
      throw new InvalidGeometryException(
          "Coordinates of polygon must be an array, instead got type "
              + FlatPoint.typeName(coordinates));
    }
    List<RawValue> rings = coordinates.asDocument().toValues();
    if (rings.size() != 1) {
      throw new InvalidGeometryException(
          "Only one simple loop is allowed in a big polygon, instead provided %d loops: %s"
              .formatted(rings.size(), GeoText.value(coordinates)));
    }
    return loop(vertices(rings.get(0), coordinates), coordinates);
  }

  private S2Polygon polygon() {
    RawElements elements = coordinates.asDocument().elements();
    while (elements.next()) {
      add(elements.value());
    }
    if (loops.isEmpty()) {
      throw new InvalidGeometryException("Polygon has no loops.");
    }
    if (loops.size() > 1) {
      String problem = new LoopNesting(loops).problem();
      if (problem != null) {
        throw new InvalidGeometryException(
            "Polygon isn't valid: " + problem + " " + GeoText.value(coordinates));
      }
      requireHoles();
    }
    Map<S2Loop, List<S2Loop>> nested = new HashMap<>();
    nested.put(null, List.of(loops.get(0)));
    nested.put(loops.get(0), loops.subList(1, loops.size()));
    var polygon = new S2Polygon();
    polygon.initWithNestedLoops(nested);
    return polygon;
  }

  private void add(RawValue ring) {
    S2Loop loop = loop(vertices(ring, ring), ring);
    loop.normalize();
    rings.add(ring);
    loops.add(loop);
    if (loops.size() > 1 && !loops.get(0).contains(loop)) {
      throw new InvalidGeometryException(
          "Secondary loops not contained by first exterior loop - secondary loops must be holes:"
              + " %s first loop: %s".formatted(GeoText.value(ring), GeoText.value(rings.get(0))));
    }
  }

  private void requireHoles() {
    Set<S2Point> shell = new HashSet<>(loops.get(0).vertices());
    for (int i = 1; i < loops.size(); i++) {
      if (loops.get(i).vertices().stream().filter(shell::contains).count() > 1) {
        throw new InvalidGeometryException(
            "Loop %d shares more than one vertex with its parent loop 0: %s"
                .formatted(i, GeoText.value(coordinates)));
      }
    }
    if (new LoopNesting(loops).hasNestedHoles()) {
      throw new InvalidGeometryException(
          "Polygon interior loops cannot be nested: " + GeoText.value(coordinates));
    }
  }

  /**
   * The vertices of a closed ring, each once.
   *
   * @param shown what messages show of it
   */
  private static List<S2Point> vertices(RawValue ring, RawValue shown) {
    List<S2Point> points = GeoJsonParser.pointList(ring);
    if (points.isEmpty()) {
      throw new InvalidGeometryException("Loop has no vertices: " + GeoText.value(ring));
    }
    if (!points.get(0).equals(points.get(points.size() - 1))) {
      throw new InvalidGeometryException(
          "Loop is not closed, first vertex does not equal last vertex: " + GeoText.value(ring));
    }
    List<S2Point> distinct = GeoJsonParser.withoutRepetitions(points);
    List<S2Point> vertices = distinct.subList(0, distinct.size() - 1);
    if (vertices.size() < 3) {
      throw new InvalidGeometryException(
          "Loop must have at least 3 different vertices, %d unique vertices were provided: %s"
              .formatted(vertices.size(), GeoText.value(shown)));
    }
    return vertices;
  }

  private static S2Loop loop(List<S2Point> vertices, RawValue shown) {
    String problem = LoopCheck.problem(vertices);
    if (problem != null) {
      throw new InvalidGeometryException(
          "Loop is not valid: " + GeoText.value(shown) + " " + problem);
    }
    return new S2Loop(vertices);
  }
}
