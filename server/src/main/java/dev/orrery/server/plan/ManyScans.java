package dev.orrery.server.plan;

import dev.orrery.server.plan.bounds.IndexAccess;
import dev.orrery.server.plan.bounds.Interval;
import dev.orrery.server.plan.bounds.Intervals;
import dev.orrery.storage.catalog.IndexSpec;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/*
 * {$or: [{a: {$gt: 1}}, {a: {$gt: 2}}, ...]} with thousands of clauses would scan the index for each
 * of them, and read again and again where they overlap. Scans of one index that only bound its first
 * field become one scan:
 *
 *   OR(IXSCAN(a > 1), IXSCAN(a > 2), IXSCAN(b = 3))  ->  OR(IXSCAN(a > 1), IXSCAN(b = 3))
 *
 * As MongoDB does not do so, neither do we where there are few: explain shows what it shows.
 */

/** Joins the scans of a disjunction with many clauses. */
final class ManyScans {
  private static final int MANY = 100;

  private ManyScans() {}

  static List<PlanNode> joined(List<IndexScan> scans) {
    if (scans.size() < MANY) {
      return List.copyOf(scans);
    }
    var result = new ArrayList<PlanNode>();
    Map<IndexSpec, IndexAccess> firsts = new IdentityHashMap<>();
    Map<IndexSpec, List<Interval>> intervals = new IdentityHashMap<>();
    for (IndexScan scan : scans) {
      IndexAccess access = scan.access();
      if (boundsFirstOnly(access)) {
        firsts.putIfAbsent(access.index(), access);
        intervals
            .computeIfAbsent(access.index(), any -> new ArrayList<>())
            .addAll(access.bounds().get(0).list());
      } else {
        result.add(scan);
      }
    }
    firsts.forEach((index, access) -> result.add(scan(access, intervals.get(index))));
    return result;
  }

  private static boolean boundsFirstOnly(IndexAccess access) {
    return !access.isWildcard()
        && access.bounds().subList(1, access.bounds().size()).stream().allMatch(Intervals::isAll);
  }

  private static IndexScan scan(IndexAccess access, List<Interval> intervals) {
    var bounds = new ArrayList<>(access.bounds());
    bounds.set(0, Intervals.of(intervals));
    return new IndexScan(
        new IndexAccess(access.index(), access.parts(), bounds, access.multikeyFields(), null),
        false);
  }
}
