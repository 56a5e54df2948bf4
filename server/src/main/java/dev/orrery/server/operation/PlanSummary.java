package dev.orrery.server.operation;

import dev.orrery.server.error.BsonText;
import dev.orrery.server.plan.Execution;
import dev.orrery.server.plan.ExplainVerbosity;
import dev.orrery.server.plan.QueryPlan;
import java.util.LinkedHashSet;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** A plan in a few words: {@code COLLSCAN}, or {@code IXSCAN { a: 1 }}. */
public final class PlanSummary {
  private PlanSummary() {}

  /** The summary, or null when there is no plan. */
  public static @Nullable String of(@Nullable QueryPlan plan) {
    return plan == null ? null : of(tree(plan));
  }

  /** What explain shows of the plan that was chosen. */
  public static BsonDocument tree(QueryPlan plan) {
    return plan.explain(ExplainVerbosity.QUERY_PLANNER, new Execution(null, false))
        .getDocument("queryPlanner")
        .getDocument("winningPlan");
  }

  private static String of(BsonDocument tree) {
    Set<String> leaves = new LinkedHashSet<>();
    collect(tree, leaves);
    return String.join(", ", leaves);
  }

  private static void collect(BsonDocument stage, Set<String> leaves) {
    boolean isLeaf = true;
    for (BsonValue field : stage.values()) {
      if (field.isDocument() && field.asDocument().containsKey("stage")) {
        collect(field.asDocument(), leaves);
        isLeaf = false;
      } else if (field.isArray()) {
        for (BsonValue each : field.asArray()) {
          if (each.isDocument() && isPart(each.asDocument())) {
            collect(each.asDocument(), leaves);
            isLeaf = false;
          }
        }
      }
    }
    if (isLeaf && stage.containsKey("stage")) {
      BsonValue pattern = stage.get("keyPattern");
      String name = stage.getString("stage").getValue();
      leaves.add(pattern == null ? name : name + " " + BsonText.stored(pattern));
    }
  }

  /** A stage, or what a partition does of one. */
  private static boolean isPart(BsonDocument document) {
    return document.containsKey("stage") || document.containsKey("winningPlan");
  }
}
