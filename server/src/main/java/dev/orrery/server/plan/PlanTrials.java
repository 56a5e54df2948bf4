package dev.orrery.server.plan;

import dev.orrery.language.number.Numbers;
import dev.orrery.storage.PartitionStore;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonDouble;

/*
 * MongoDB lets all candidates run until one has 101 results, and then takes the one that got the
 * most for its work. We choose by what the indexes say, before anything runs; but who asks for
 * "allPlansExecution" wants to compare the candidates, so here they do run, each as far as there.
 */

/** What every candidate plan does for the first results, as explain shows it. */
final class PlanTrials {
  private static final int RESULTS_MAX = 101;

  private final NodePlan plan;
  private final Explanation explanation;

  PlanTrials(NodePlan plan, Explanation explanation) {
    this.plan = plan;
    this.explanation = explanation;
  }

  /** Nothing if there was nothing to choose from. */
  BsonArray explain(Execution execution) {
    var plans = new BsonArray();
    if (plan.trees().size() < 2) {
      return plans;
    }
    if (!(plan.root() instanceof PartitionsNode merge)) {
      plan.trees().forEach(tree -> plans.add(run(tree, plan.partitions().get(0), execution)));
      return plans;
    }
    for (PartitionStore partition : merge.partitions()) {
      var candidates = new BsonArray();
      plan.trees()
          .forEach(
              tree -> candidates.add(run(((PartitionsNode) tree).input(), partition, execution)));
      plans.add(
          new BsonDocument("shardName", Explanation.name(partition))
              .append("allPlans", candidates));
    }
    return plans;
  }

  private BsonDocument run(PlanNode tree, PartitionStore partition, Execution execution) {
    PlanRun run = PlanRun.of(execution, true).on(partition);
    RowCursor rows = tree.open(run);
    int returned = 0;
    try {
      while (returned < RESULTS_MAX && rows.next() != null) {
        returned++;
      }
    } finally {
      rows.close();
    }
    return new BsonDocument("nReturned", Numbers.intOrLong(returned))
        .append("executionTimeMillisEstimate", Numbers.intOrLong(0))
        .append("totalKeysExamined", Numbers.intOrLong(run.total(one -> one.keysExamined)))
        .append("totalDocsExamined", Numbers.intOrLong(run.total(one -> one.documentsExamined)))
        .append("score", new BsonDouble(score(tree, run, returned)))
        .append("executionStages", explanation.stage(tree, run));
  }

  /** MongoDB's: results for work, and a little for what a plan does without. */
  private static double score(PlanNode tree, PlanRun run, int returned) {
    double works = Math.max(1, run.total(one -> one.keysExamined + one.documentsExamined));
    double bonus = Math.min(1 / (10 * works), 1e-4);
    double without = bonus; // no plan here intersects indexes
    without += has(tree, FetchNode.class) ? 0 : bonus;
    without += has(tree, SortNode.class) ? 0 : bonus;
    return 1 + Math.min(1, returned / works) + without;
  }

  private static boolean has(PlanNode node, Class<? extends PlanNode> kind) {
    return kind.isInstance(node) || node.inputs().stream().anyMatch(one -> has(one, kind));
  }
}
