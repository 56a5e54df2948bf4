package dev.orrery.language.geo;

import com.google.common.geometry.S2EdgeUtil;
import com.google.common.geometry.S2Iterator;
import com.google.common.geometry.S2LatLng;
import com.google.common.geometry.S2Loop;
import com.google.common.geometry.S2Point;
import com.google.common.geometry.S2ShapeIndex;
import dev.orrery.language.limit.Allowance;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is wrong with a ring of vertices: one that comes twice, or edges that cross. */
final class LoopCheck {
  /** In rings with more vertices any edges that cross are named, not the first. */
  private static final int NAMED_VERTICES_MAX = 2_000;

  private LoopCheck() {}

  /** The problem in MongoDB's words; null if there is none. */
  static @Nullable String problem(List<S2Point> vertices) {
    Map<S2Point, Integer> seen = new HashMap<>();
    for (int i = 0; i < vertices.size(); i++) {
      Integer before = seen.putIfAbsent(vertices.get(i), i);
      if (before != null) {
        return "Duplicate vertices: " + before + " and " + i;
      }
    }
    int[] pair = vertices.size() == 3 ? null : findCrossing(vertices);
    if (pair == null) {
      return null; // edges that touch are no problem
    }
    return described(vertices, vertices.size() > NAMED_VERTICES_MAX ? pair : first(vertices, pair));
  }

  /**
   * Two edges that cross, by a grid that divides itself where there are many; null for none. Where
   * all of a hundred thousand edges are long, they meet in the same cells, and each pair is tried.
   */
  private static int @Nullable [] findCrossing(List<S2Point> vertices) {
    var index = new S2ShapeIndex();
    index.add(new S2Loop(vertices));
    Allowance allowance = Allowance.current();
    for (S2Iterator<S2ShapeIndex.Cell> cells = index.iterator(); !cells.done(); cells.next()) {
      S2ShapeIndex.S2ClippedShape there = cells.entry().clipped(0);
      for (int i = 0; i < there.numEdges(); i++) {
        for (int j = i + 1; j < there.numEdges(); j++) {
          allowance.step();
          if (crosses(vertices, there.edge(i), there.edge(j))) {
            return new int[] {there.edge(i), there.edge(j)};
          }
        }
      }
    }
    return null;
  }

  /** The pair that MongoDB names, which is the first of all. */
  private static int[] first(List<S2Point> vertices, int[] otherwise) {
    Allowance allowance = Allowance.current();
    for (int i = 0; i < vertices.size(); i++) {
      for (int j = i + 2; j < vertices.size(); j++) {
        allowance.step();
        if (crosses(vertices, i, j)) {
          return new int[] {i, j};
        }
      }
    }
    return otherwise;
  }

  private static boolean crosses(List<S2Point> vertices, int edge, int other) {
    return S2EdgeUtil.robustCrossing(
            vertices.get(edge), end(vertices, edge), vertices.get(other), end(vertices, other))
        > 0;
  }

  private static S2Point end(List<S2Point> vertices, int edge) {
    return vertices.get((edge + 1) % vertices.size());
  }

  private static String described(List<S2Point> vertices, int[] edges) {
    return "Edges %d and %d cross. Edge locations in degrees: %s-%s and %s-%s"
        .formatted(
            edges[0],
            edges[1],
            text(vertices.get(edges[0])),
            text(end(vertices, edges[0])),
            text(vertices.get(edges[1])),
            text(end(vertices, edges[1])));
  }

  private static String text(S2Point point) {
    var place = new S2LatLng(point);
    return String.format(Locale.ROOT, "[%.7f, %.7f]", place.latDegrees(), place.lngDegrees());
  }
}
