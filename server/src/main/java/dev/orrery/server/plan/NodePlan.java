package dev.orrery.server.plan;

import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.View;
import dev.orrery.storage.catalog.IndexSpec;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;

/**
 * A tree of nodes, ready to run.
 *
 * @param trees the tree that runs, then those that were thought of too
 */
record NodePlan(
    Query query,
    List<PartitionStore> partitions,
    List<PlanNode> trees,
    UsedIndexes used,
    Effort effort)
    implements QueryPlan {
  /** The indexes that a plan scans, whether it scans the collection, and who wants to know. */
  record UsedIndexes(List<IndexSpec> list, boolean isScan, IndexUses uses) {
    void count(CollectionStore collection) {
      uses.add(collection, list);
      if (isScan) {
        uses.addScan(collection);
      }
    }
  }

  /** How many documents a plan expects to read, and whether it surely ends soon. */
  record Effort(double documents, boolean isShort) {}

  PlanNode root() {
    return trees.get(0);
  }

  @Override
  public List<IndexSpec> indexes() {
    return used.list;
  }

  @Override
  public boolean isShort() {
    return effort.isShort;
  }

  @Override
  public boolean isPointRead() {
    return isPointRead(root());
  }

  private static boolean isPointRead(PlanNode node) {
    if (node instanceof PrimaryKeyLookup lookup) {
      return lookup.keys().size() <= 1;
    }
    List<PlanNode> inputs =
        node instanceof PartitionsNode merge ? List.of(merge.input()) : node.inputs();
    return inputs.size() == 1 && isPointRead(inputs.get(0));
  }

  @Override
  public double documents() {
    return effort.documents;
  }

  @Override
  public List<QueryPlan> parts() {
    boolean isDivisible =
        root() instanceof PartitionsNode merge
            && merge.order() == null
            && merge.window().equals(Query.Window.ALL);
    if (!isDivisible || partitions.size() < 2) {
      return List.of(this);
    }
    var parts = new ArrayList<QueryPlan>();
    for (PartitionStore partition : partitions) {
      PlanNode input = ((PartitionsNode) root()).input();
      var alone = List.of(partition);
      // The first one counts the use of the indexes for all.
      var counted = parts.isEmpty() ? used : new UsedIndexes(List.of(), false, used.uses);
      PlanNode tree = new PartitionsNode(input, alone, null, Query.Window.ALL);
      parts.add(new NodePlan(query, alone, List.of(tree), counted, effort));
    }
    return parts;
  }

  @Override
  public DocumentCursor open(Execution execution) {
    used.count(query.collection());
    try {
      boolean hides = execution.hidesLastChange(query.collection().info());
      return new PlanCursor(query.collection(), open(newRun(execution, false)), hides);
    } catch (StorageException e) {
      if (e.reason() != StorageException.Reason.COLLECTION_DROPPED) {
        throw e;
      }
      return new PlanCursor(query.collection(), () -> null, false);
    }
  }

  /** A run that fetches no document before it must. */
  PlanRun newRun(Execution execution, boolean isExplained) {
    return PlanRun.of(execution, isExplained)
        .needing(sortsInMemory() ? 0 : query.window().needed());
  }

  @Override
  public boolean sortsInMemory() {
    return sorts(root());
  }

  private static boolean sorts(PlanNode node) {
    return node instanceof SortNode
        || (node instanceof PartitionsNode merge && sorts(merge.input()))
        || node.inputs().stream().anyMatch(NodePlan::sorts);
  }

  @Override
  public long count(Execution execution) {
    used.count(query.collection());
    try {
      long count = countPresent(execution);
      return query.collection().exists() ? count : 0;
    } catch (StorageException e) {
      if (e.reason() != StorageException.Reason.COLLECTION_DROPPED) {
        throw e;
      }
      return 0;
    }
  }

  private long countPresent(Execution execution) {
    Query.Window window = query.window();
    if (CountPlan.isWhole(root()) && query.source().view() == View.NEWEST) {
      partitions.forEach(partition -> execution.visit(partition.id()));
      return window.of(partitions.stream().mapToLong(one -> one.statistics().documents()).sum());
    }
    long needed = window.needed();
    RowCursor rows = forCount().open(PlanRun.of(execution, false));
    try {
      long count = 0;
      while ((needed == 0 || count < needed) && rows.next() != null) {
        count++;
      }
      return window.of(count);
    } finally {
      rows.close();
    }
  }

  @Override
  public NodePlan forCount() {
    return CountPlan.of(this);
  }

  RowCursor open(PlanRun run) {
    if (partitions.isEmpty()) { // the collection was dropped
      return () -> null;
    }
    return root().open(runOfRoot(run));
  }

  /** A merge finds its partitions by itself; any other root runs on the only one. */
  PlanRun runOfRoot(PlanRun run) {
    return root() instanceof PartitionsNode ? run : run.on(partitions.get(0));
  }

  @Override
  public String summary() {
    return PlanLeaves.of(root());
  }

  @Override
  public long explainedBytes() {
    return (long) query.criteria().document().length() * Math.max(1, partitions.size());
  }

  @Override
  public BsonDocument explain(ExplainVerbosity verbosity, Execution execution) {
    return new Explanation(this).explain(verbosity, execution);
  }
}
