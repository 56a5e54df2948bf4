package dev.orrery.server.plan;

import dev.orrery.server.query.Filter;
import dev.orrery.storage.PartitionStore;
import java.util.List;

/*
 * Counting needs neither order nor form, and no documents where the bounds of an index say all:
 *
 *   PROJECT(SKIP(SORT(FETCH(IXSCAN))))  ->  SKIP(FETCH(IXSCAN))  ->  SKIP(IXSCAN)
 *
 * Without filter, skip and limit nothing is read: partitions know how many documents they have.
 */

/** A plan without what only matters for the documents themselves. */
record CountPlan(List<PartitionStore> partitions, PlanNode root, boolean isWholeCollection) {
  static CountPlan of(NodePlan plan) {
    PlanNode root = plan.root();
    boolean isWhole = root instanceof PartitionMerge merge ? isWhole(merge) : isWhole(root);
    return new CountPlan(plan.partitions(), strip(root), isWhole);
  }

  private static boolean isWhole(PartitionMerge merge) {
    return merge.window().skip() == 0 && merge.window().limit() == 0 && isWhole(merge.input());
  }

  private static boolean isWhole(PlanNode node) {
    return node instanceof CollectionScan scan && isEmpty(scan.filter());
  }

  private static boolean isEmpty(Filter filter) {
    return filter instanceof Filter.And and && and.children().isEmpty();
  }

  private static PlanNode strip(PlanNode node) {
    if (node instanceof ProjectNode project) {
      return strip(project.input());
    }
    if (node instanceof ReturnKeyNode key) {
      return strip(key.input());
    }
    if (node instanceof SortNode sort) {
      PlanNode input = strip(sort.input());
      return sort.limit() == 0 ? input : new LimitNode(sort.limit(), input);
    }
    if (node instanceof SkipNode skip) {
      return new SkipNode(skip.skip(), strip(skip.input()));
    }
    if (node instanceof LimitNode limit) {
      return new LimitNode(limit.limit(), strip(limit.input()));
    }
    if (node instanceof PartitionMerge merge) {
      return new PartitionMerge(strip(merge.input()), merge.partitions(), null, merge.window());
    }
    if (node instanceof KeyNode key) {
      return key.input();
    }
    return node instanceof FetchNode fetch && isEmpty(fetch.residue()) ? fetch.input() : node;
  }

  long count(Execution execution) {
    if (isWholeCollection) {
      partitions.forEach(partition -> execution.visit(partition.id()));
      return partitions.stream().mapToLong(one -> one.statistics().documents()).sum();
    }
    if (partitions.isEmpty()) {
      return 0;
    }
    var run = Run.of(execution, false);
    RowCursor rows = root.open(root instanceof PartitionMerge ? run : run.on(partitions.get(0)));
    try {
      long count = 0;
      while (rows.next() != null) {
        count++;
      }
      return count;
    } finally {
      rows.close();
    }
  }
}
