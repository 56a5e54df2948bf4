package dev.orrery.language.geo;

import com.google.common.geometry.S2EdgeUtil;
import com.google.common.geometry.S2Error;
import com.google.common.geometry.S2LatLng;
import com.google.common.geometry.S2Loop;
import com.google.common.geometry.S2Point;
import dev.orrery.language.limit.Allowance;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is wrong with a ring of vertices: one that comes twice, or edges that cross. */
final class LoopCheck {
  /** In rings with more vertices the edges that cross are not looked for one by one. */
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
    var error = new S2Error();
    if (vertices.size() == 3 || !new S2Loop(vertices).findValidationError(error)) {
      return null;
    }
    return vertices.size() > NAMED_VERTICES_MAX ? "Edges cross. " + error.text() : cross(vertices);
  }

  private static @Nullable String cross(List<S2Point> vertices) {
    int count = vertices.size();
    Allowance allowance = Allowance.current();
    for (int i = 0; i < count; i++) {
      S2Point from = vertices.get(i);
      S2Point to = vertices.get((i + 1) % count);
      for (int j = i + 2; j < count; j++) {
        allowance.step();
        S2Point otherTo = vertices.get((j + 1) % count);
        if (S2EdgeUtil.robustCrossing(from, to, vertices.get(j), otherTo) > 0) {
          return "Edges %d and %d cross. Edge locations in degrees: %s-%s and %s-%s"
              .formatted(i, j, text(from), text(to), text(vertices.get(j)), text(otherTo));
        }
      }
    }
    return null; // edges that touch are no problem
  }

  private static String text(S2Point point) {
    var place = new S2LatLng(point);
    return String.format(Locale.ROOT, "[%.7f, %.7f]", place.latDegrees(), place.lngDegrees());
  }
}
