package dev.orrery.server.plan;

import dev.orrery.language.query.Filter;
import dev.orrery.server.plan.bounds.IndexAccess;
import dev.orrery.storage.catalog.IndexField;
import dev.orrery.storage.catalog.IndexSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * Of documents with the same value one is enough, where an index has them side by side:
 *
 *   PROJECT(KEYS(IXSCAN))  ->  PROJECT(KEYS(DISTINCT_SCAN))
 *
 * As in MongoDB a distinct without filter reads any index that begins with its field, the shortest
 * of several, and then finds null where the field is missing.
 */

/** Lets a plan find every value of a path at least once, instead of every document. */
final class DistinctPlan {
  private DistinctPlan() {}

  /** The index by which the values of a path are found when there is no filter; null for none. */
  static @Nullable IndexSpec shortestIndex(Query query, String path) {
    boolean isFree =
        query.criteria().filter() instanceof Filter.And and
            && and.children().isEmpty()
            && query.criteria().collation().isSimple()
            && query.criteria().hints().hint() == null;
    IndexSpec shortest = null;
    for (IndexSpec index : isFree ? query.indexes() : List.<IndexSpec>of()) {
      boolean isFit =
          !index.isHidden()
              && index.collation() == null
              && index.partialFilter() == null
              && index.fields().get(0).path().dotted().equals(path)
              && index.fields().stream().allMatch(one -> one.kind() == IndexField.Kind.ORDERED);
      if (isFit && (shortest == null || index.fields().size() < shortest.fields().size())) {
        shortest = index;
      }
    }
    return shortest;
  }

  static NodePlan of(NodePlan plan, String path) {
    PlanNode root = plan.root();
    PlanNode skipping =
        root instanceof PartitionsNode merge ? skipping(merge, path) : skipping(root, path);
    List<PlanNode> trees = List.of(skipping == null ? CountPlan.withoutForm(root) : skipping);
    return new NodePlan(plan.query(), plan.partitions(), trees, plan.used(), plan.effort());
  }

  private static @Nullable PlanNode skipping(PartitionsNode merge, String path) {
    PlanNode input = skipping(merge.input(), path);
    return input == null
        ? null
        : new PartitionsNode(input, merge.partitions(), merge.order(), merge.window());
  }

  private static @Nullable PlanNode skipping(PlanNode node, String path) {
    if (!(node instanceof ProjectNode project)) {
      return null;
    }
    PlanNode input = project.input();
    PlanNode changed = null;
    if (input instanceof KeyNode key && key.input() instanceof IndexScan scan) {
      DistinctScan distinct = scan(scan, path, false);
      changed = distinct == null ? null : new KeyNode(key.covering(), key.filter(), distinct);
    } else if (input instanceof FetchNode fetch && fetch.input() instanceof IndexScan scan) {
      boolean hasAll = scan.access().isWhole() && CountPlan.isEmpty(fetch.filter());
      DistinctScan distinct = hasAll ? scan(scan, path, true) : null;
      changed = distinct == null ? null : new FetchNode(fetch.filter(), fetch.residue(), distinct);
    }
    return changed == null
        ? null
        : new ProjectNode(project.projection(), project.text(), false, null, changed);
  }

  private static @Nullable DistinctScan scan(IndexScan scan, String path, boolean isFetched) {
    List<IndexAccess.Part> parts = scan.access().parts();
    for (int i = 0; i < parts.size(); i++) {
      if (parts.get(i).path().equals(path) && scan.access().range() == null) {
        return new DistinctScan(scan, i, isFetched);
      }
    }
    return null;
  }
}
