package dev.orrery.server.plan;

import dev.orrery.server.plan.bounds.IndexAccess;
import dev.orrery.storage.catalog.IndexSpec;
import java.util.List;

/**
 * One way to find the documents of a query, before they are sorted and cut.
 *
 * @param isSorted whether they come in the order that the query asks for
 * @param keys about how many index entries it reads
 * @param documents about how many documents it reads, or would if it did not know their fields
 */
record AccessPath(PlanNode source, boolean isSorted, double keys, double documents) {
  /** Whether it gives fields of documents without reading them. */
  boolean isCovered() {
    return source instanceof KeyNode;
  }

  /** The indexes that it scans. */
  List<IndexSpec> indexes() {
    return accesses(source).stream().map(IndexAccess::index).distinct().toList();
  }

  private static List<IndexAccess> accesses(PlanNode node) {
    if (node instanceof NearScan near) {
      return List.of(near.access());
    }
    return node instanceof IndexScan scan
        ? List.of(scan.access())
        : node.inputs().stream().flatMap(input -> accesses(input).stream()).toList();
  }
}
