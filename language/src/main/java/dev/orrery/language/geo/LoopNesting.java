package dev.orrery.language.geo;

import com.google.common.geometry.S2LatLngRect;
import com.google.common.geometry.S2Loop;
import com.google.common.geometry.S2Point;
import dev.orrery.language.limit.Allowance;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/*
 * A polygon may have a hundred thousand small holes, and each pair of them would have to be looked
 * at. So holes are sorted by their southern edge, and each is compared only with those that begin
 * south of its northern edge; of most of these the rectangles tell that they are apart.
 */

/** How the loops of one polygon lie to each other: whether they share edges, cross, or nest. */
final class LoopNesting {
  private final List<S2Loop> loops;
  private final S2LatLngRect[] bounds;

  LoopNesting(List<S2Loop> loops) {
    this.loops = loops;
    this.bounds = loops.stream().map(S2Loop::getRectBound).toArray(S2LatLngRect[]::new);
  }

  private record Edge(S2Point from, S2Point to) {}

  /** An edge by its loop and its number there. */
  private record Place(int loop, int edge) {}

  /** What makes these loops no polygon; null for nothing. */
  @Nullable String problem() {
    String shared = sharedEdge();
    return shared == null ? crossing() : shared;
  }

  private @Nullable String sharedEdge() {
    Map<Edge, Place> edges = new HashMap<>();
    Allowance allowance = Allowance.current();
    for (int i = 0; i < loops.size(); i++) {
      S2Loop loop = loops.get(i);
      for (int j = 0; j < loop.numVertices(); j++) {
        allowance.step();
        var edge = new Edge(loop.vertex(j), loop.vertex(j + 1));
        Place other = edges.putIfAbsent(edge, new Place(i, j));
        other = other == null ? edges.get(new Edge(edge.to, edge.from)) : other;
        if (other != null) {
          return "Duplicate edge: loop %d, edge %d and loop %d, edge %d"
              .formatted(i, j, other.loop, other.edge);
        }
      }
    }
    return null;
  }

  /** The holes lie in the shell, that was checked, so that only they can cross. */
  private @Nullable String crossing() {
    int[] pair = findPair((one, other) -> one.compareBoundary(other) == 0);
    return pair == null ? null : "Loop %d crosses loop %d".formatted(pair[0], pair[1]);
  }

  boolean hasNestedHoles() {
    return findPair((one, other) -> one.contains(other) || other.contains(one)) != null;
  }

  /** The first pair of holes of which something is true; null if there is none. */
  private int @Nullable [] findPair(BiPredicate<S2Loop, S2Loop> test) {
    Integer[] holes = new Integer[loops.size() - 1];
    Arrays.setAll(holes, i -> i + 1);
    Arrays.sort(holes, Comparator.comparingDouble(hole -> bounds[hole].latLo().radians()));
    Allowance allowance = Allowance.current();
    for (int i = 0; i < holes.length; i++) {
      S2LatLngRect bound = bounds[holes[i]];
      for (int j = i + 1; j < holes.length; j++) {
        allowance.step();
        S2LatLngRect other = bounds[holes[j]];
        if (other.latLo().radians() > bound.latHi().radians()) {
          break;
        }
        int first = Math.min(holes[i], holes[j]);
        int second = Math.max(holes[i], holes[j]);
        if (bound.intersects(other) && test.test(loops.get(first), loops.get(second))) {
          return new int[] {first, second};
        }
      }
    }
    return null;
  }
}
