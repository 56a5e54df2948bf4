package dev.orrery.server.plan;

import dev.orrery.language.query.Filter;
import dev.orrery.server.plan.bounds.ScanBounds;

/*
 * Counting needs neither order nor form, and no documents where the bounds of an index say all:
 *
 *   PROJECT(SKIP(SORT(FETCH(IXSCAN))))  ->  FETCH(IXSCAN)  ->  IXSCAN  ->  COUNT_SCAN
 *
 * the latter if one range of the index has them all. Whoever counts skips and limits by himself.
 * Without a filter nothing is read: partitions know how many documents they have.
 */

/** Takes from a plan what only matters for the documents themselves. */
final class CountPlan {
  private CountPlan() {}

  static NodePlan of(NodePlan plan) {
    return new NodePlan(
        plan.query(),
        plan.partitions(),
        plan.trees().stream().map(CountPlan::strip).toList(),
        plan.used(),
        plan.effort());
  }

  /** Whether the plan gives all documents. */
  static boolean isWhole(PlanNode root) {
    PlanNode node = root instanceof PartitionsNode merge ? merge.input() : root;
    return node instanceof CollectionScan scan && isEmpty(scan.filter());
  }

  static boolean isEmpty(Filter filter) {
    return filter instanceof Filter.And and && and.children().isEmpty();
  }

  private static PlanNode strip(PlanNode node) {
    if (node instanceof PartitionsNode merge) {
      return new PartitionsNode(strip(merge.input()), merge.partitions(), null, Query.Window.ALL);
    }
    if (node instanceof KeyNode key) {
      return scan(key.input());
    }
    if (node instanceof FetchNode fetch) {
      return isEmpty(fetch.residue()) ? scan(fetch.input()) : fetch;
    }
    boolean isForm =
        node instanceof ProjectNode
            || node instanceof ReturnKeyNode
            || node instanceof SortNode
            || node instanceof SkipNode
            || node instanceof LimitNode;
    return isForm ? strip(node.inputs().get(0)) : node;
  }

  /** The tree without a projection at its top. */
  static PlanNode withoutForm(PlanNode node) {
    if (node instanceof PartitionsNode merge) {
      return new PartitionsNode(
          withoutForm(merge.input()), merge.partitions(), merge.order(), merge.window());
    }
    return node instanceof ProjectNode project && !(project.input() instanceof KeyNode)
        ? project.input()
        : node;
  }

  private static PlanNode scan(PlanNode node) {
    if (node instanceof SkipNode skip) {
      return scan(skip.input());
    }
    boolean isOneRange =
        node instanceof IndexScan scan
            && scan.access().range() == null
            && !scan.access().isWildcard()
            && ScanBounds.of(scan.access(), false).isContiguous();
    return isOneRange ? new CountScan((IndexScan) node) : node;
  }
}
