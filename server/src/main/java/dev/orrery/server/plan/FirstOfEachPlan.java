package dev.orrery.server.plan;

import dev.orrery.server.plan.bounds.IndexAccess;
import dev.orrery.storage.catalog.IndexField;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * Where an index gives the order of a sort by a, b and groups by a take their first document only:
 *
 *   FETCH(IXSCAN)  ->  FIRST_OF_EACH(FETCH(DISTINCT_SCAN))
 *
 * and the same with the projection of a covered plan. A filter beside the bounds does no harm: the
 * first that passes is taken. Not so with arrays, whose elements have keys of their own.
 */

/** Lets a plan find the first document of each value of a path, instead of every document. */
final class FirstOfEachPlan {
  private FirstOfEachPlan() {}

  /** Null if the plan does not scan an index that has equal values side by side. */
  static @Nullable NodePlan of(NodePlan plan, String path) {
    PlanNode root = plan.root();
    PlanNode changed;
    if (root instanceof PartitionsNode merge) {
      PlanNode input = skipping(plan.query(), merge.input(), path);
      changed =
          input == null
              ? null
              : new PartitionsNode(input, merge.partitions(), merge.order(), merge.window());
    } else {
      changed = skipping(plan.query(), root, path);
    }
    return changed == null
        ? null
        : new NodePlan(
            plan.query(), plan.partitions(), List.of(changed), plan.used(), plan.effort());
  }

  private static @Nullable PlanNode skipping(Query query, PlanNode node, String path) {
    if (node instanceof FetchNode fetch && fetch.input() instanceof IndexScan scan) {
      int field = field(query, scan, path);
      // Backwards a whole key cannot be passed by, and all its documents would be fetched.
      boolean isUseless = scan.isReverse() && field == scan.access().parts().size() - 1;
      var input = new FetchNode(fetch.filter(), fetch.residue(), new DistinctEntries(scan));
      return field < 0 || isUseless ? null : new FirstOfEachNode(input, scan, field);
    }
    if (node instanceof KeyNode key && key.input() instanceof IndexScan scan) {
      int field = field(query, scan, path);
      var input = new KeyNode(key.covering(), key.filter(), new DistinctEntries(scan));
      return field < 0 ? null : new FirstOfEachNode(input, scan, field);
    }
    return null;
  }

  /** The place of the path in the index, if keys with one value of it stand side by side; or -1. */
  private static int field(Query query, IndexScan scan, String path) {
    IndexAccess access = scan.access();
    boolean isFit =
        query.order().sort() != null
            && query.criteria().collation().isSimple()
            && access.index().collation() == null
            && access.range() == null
            && !access.isMultikey()
            && access.parts().stream().allMatch(one -> one.kind() == IndexField.Kind.ORDERED)
            && !access.isWildcard();
    for (int i = 0; isFit && i < access.parts().size(); i++) {
      if (access.parts().get(i).path().equals(path)) {
        return i;
      }
      isFit = access.bounds().get(i).isPoint();
    }
    return -1;
  }
}
