package dev.orrery.server.plan;

import dev.orrery.language.error.BsonText;
import dev.orrery.server.plan.bounds.IndexAccess;
import java.util.LinkedHashSet;
import java.util.Set;

/** Where a plan reads, in a few words, without telling its filters and bounds. */
final class PlanLeaves {
  private final Set<String> leaves = new LinkedHashSet<>();
  private int length;

  private PlanLeaves() {}

  /** {@code COLLSCAN}, or {@code IXSCAN { a: 1 }, IXSCAN { b: 1 }}, each way once. */
  static String of(PlanNode root) {
    var summary = new PlanLeaves();
    summary.collect(root);
    return String.join(", ", summary.leaves);
  }

  private void collect(PlanNode node) {
    if (node instanceof PartitionsNode merge) {
      if (!merge.partitions().isEmpty()) { // else the collection was dropped
        collect(merge.input());
      }
    } else if (node instanceof CollectionScan) {
      add("COLLSCAN");
    } else if (node instanceof PrimaryKeyLookup) {
      add("IDHACK");
    } else if (node instanceof IndexScan scan) {
      add("IXSCAN", scan.access());
    } else if (node instanceof NearScan near) {
      add(near.stage(), near.access());
    } else if (node instanceof CountScan count) {
      add("COUNT_SCAN", count.scan().access());
    } else if (node instanceof DistinctScan distinct) {
      add("DISTINCT_SCAN", distinct.scan().access());
    } else if (node instanceof DistinctEntries distinct) {
      add("DISTINCT_SCAN", distinct.scan().access());
    } else {
      node.inputs().forEach(this::collect);
    }
  }

  private void add(String stage, IndexAccess access) {
    add(stage + " " + BsonText.stored(IndexScanExplanation.keyPattern(access)));
  }

  /** A wildcard index has as many patterns as there are paths: too many are left out. */
  private void add(String leaf) {
    if (length <= BsonText.TEXT_MAX && leaves.add(leaf)) {
      length += leaf.length();
    }
  }
}
