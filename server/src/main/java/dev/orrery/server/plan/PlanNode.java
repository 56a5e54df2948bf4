package dev.orrery.server.plan;

import java.util.List;

/**
 * One step of a plan: it is executed, and it explains itself in MongoDB's terms. Immutable; a run
 * opens it anew.
 */
sealed interface PlanNode
    permits CollectionScan,
        CountScan,
        DistinctEntries,
        DistinctScan,
        FetchNode,
        FirstOfEachNode,
        IndexScan,
        KeyNode,
        LimitNode,
        MatchNode,
        MergeSortNode,
        NearScan,
        PartitionsNode,
        PrimaryKeyLookup,
        ProjectNode,
        ReturnKeyNode,
        SkipNode,
        SortNode,
        TextNode,
        UnionNode {
  /** Begins to run; a node on one partition finds it in the run. */
  RowCursor open(PlanRun run);

  /** Where its rows come from. */
  List<PlanNode> inputs();

  /** Writes the node's own fields into its explanation, after its name and counters. */
  void explain(StageExplanation explanation);
}
