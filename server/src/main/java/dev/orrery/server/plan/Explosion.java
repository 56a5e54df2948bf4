package dev.orrery.server.plan;

import dev.orrery.language.query.SortPattern;
import dev.orrery.server.plan.bounds.IndexAccess;
import dev.orrery.server.plan.bounds.Interval;
import dev.orrery.server.plan.bounds.Intervals;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/*
 * {a: {$in: [1, 2]}} in the order of b, with an index on (a, b): neither a = 1 or 2 nor the index
 * as a whole is in the order of b, but a = 1 alone is, and a = 2 alone. So
 *
 *   SORT(IXSCAN(a in [1, 2]))  ->  SORT_MERGE(IXSCAN(a = 1), IXSCAN(a = 2))
 *
 * and a limit ends the scans early.
 */

/** Takes a scan apart into scans that give the order of a sort each. */
final class Explosion {
  /** As MongoDB's internalQueryMaxScansToExplode. */
  private static final int SCANS_MAX = 200;

  private Explosion() {}

  /** The scans that give the order together; null if there is no way. */
  static @Nullable MergeSortNode of(IndexAccess access, Query.Order order) {
    List<List<Intervals>> prefixes = new ArrayList<>(List.of(List.of()));
    int fixed = 0;
    while (fixed < access.parts().size() && canSplit(access, fixed)) {
      List<Interval> points = access.bounds().get(fixed).list();
      if (points.size() > SCANS_MAX / prefixes.size()) {
        return null;
      }
      prefixes = extended(prefixes, points);
      fixed++;
    }
    if (prefixes.size() < 2) {
      return null;
    }
    SortPattern sort = order.sort();
    SortMatch match = SortMatch.of(narrowed(access, prefixes.get(0)), sort);
    if (match == SortMatch.NONE || sortsByFixed(access, fixed, sort)) {
      return null;
    }
    var scans = new ArrayList<IndexScan>();
    for (List<Intervals> prefix : prefixes) {
      scans.add(new IndexScan(narrowed(access, prefix), match == SortMatch.REVERSE));
    }
    return new MergeSortNode(scans, order.document(), fixed, end(access, sort));
  }

  /** Behind the last field of the index that the sort names. */
  private static int end(IndexAccess access, SortPattern sort) {
    int end = access.parts().size();
    while (sort.parts().stream().noneMatch(isOn(access.parts().get(end - 1)))) {
      end--;
    }
    return end;
  }

  private static Predicate<SortPattern.Part> isOn(IndexAccess.Part field) {
    return part -> field.path().equals(part.path().dotted());
  }

  private static boolean canSplit(IndexAccess access, int field) {
    return !access.isMultikey()
        && !access.bounds().get(field).isEmpty()
        && access.bounds().get(field).arePoints()
        && access.range() == null;
  }

  /** A field that has several values cannot be left out of the order, though each scan fixes it. */
  private static boolean sortsByFixed(IndexAccess access, int fixed, SortPattern sort) {
    return access.parts().subList(0, fixed).stream()
        .anyMatch(field -> sort.parts().stream().anyMatch(isOn(field)));
  }

  private static List<List<Intervals>> extended(
      List<List<Intervals>> prefixes, List<Interval> points) {
    var longer = new ArrayList<List<Intervals>>();
    for (List<Intervals> prefix : prefixes) {
      for (Interval point : points) {
        var next = new ArrayList<>(prefix);
        next.add(new Intervals(List.of(point)));
        longer.add(next);
      }
    }
    return longer;
  }

  private static IndexAccess narrowed(IndexAccess access, List<Intervals> prefix) {
    var bounds = new ArrayList<>(access.bounds());
    for (int i = 0; i < prefix.size(); i++) {
      bounds.set(i, prefix.get(i));
    }
    return new IndexAccess(access.index(), access.parts(), bounds, access.multikeyFields(), null);
  }
}
