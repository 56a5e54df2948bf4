package dev.orrery.server.plan;

import dev.orrery.language.limit.Allowance;
import dev.orrery.language.number.Numbers;
import dev.orrery.server.synthetic.SyntheticKey;
import dev.orrery.storage.PartitionStore;
import dev.orrery.value.RawValue;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * Explain's answer about a plan, in the shape of MongoDB 7; partitions take the place of shards.
 */
final class Explanation {
  private static final int KEYS_TOLD_MAX = 20;

  private final NodePlan plan;
  private final BsonDocument parsedQuery;

  Explanation(NodePlan plan) {
    this.plan = plan;
    this.parsedQuery = FilterText.parsedQuery(plan.query());
  }

  BsonDocument explain(ExplainVerbosity verbosity, Execution execution) {
    var answer =
        new BsonDocument("explainVersion", new BsonString("1"))
            .append("queryPlanner", queryPlanner());
    return verbosity == ExplainVerbosity.QUERY_PLANNER
        ? answer
        : answer.append("executionStats", executionStats(verbosity, execution));
  }

  private BsonDocument queryPlanner() {
    return root() instanceof PartitionsNode merge ? mergePlanner(merge) : plainPlanner();
  }

  private PlanNode root() {
    return plan.root();
  }

  private BsonDocument plainPlanner() {
    var planner = description(true);
    planner.append("winningPlan", stage(root(), null));
    var rejected = new BsonArray();
    plan.trees().stream().skip(1).forEach(tree -> rejected.add(stage(tree, null)));
    return planner.append("rejectedPlans", rejected);
  }

  private BsonDocument description(boolean hasHashes) {
    boolean hasFilter = plan.query().criteria().hints().filter() != null;
    var description =
        new BsonDocument(
                "namespace",
                new BsonString(plan.query().collection().info().namespace().toString()))
            .append("indexFilterSet", BsonBoolean.valueOf(hasFilter))
            .append("parsedQuery", parsedQuery);
    if (hasHashes) {
      String shape = shape(parsedQuery);
      description
          .append("queryHash", hash(shape))
          .append("planCacheKey", hash(shape + PlanLeaves.of(root())));
      addSyntheticKey(description);
    }
    return description
        .append("maxIndexedOrSolutionsReached", BsonBoolean.FALSE)
        .append("maxIndexedAndSolutionsReached", BsonBoolean.FALSE)
        .append("maxScansToExplodeReached", BsonBoolean.FALSE);
  }

  /** Which values of a synthetic key follow from the query, and where those lie. */
  private void addSyntheticKey(BsonDocument description) {
    SyntheticKey key = SyntheticKey.of(plan.query().collection().info());
    if (key == null) {
      return;
    }
    List<RawValue> values =
        SyntheticKey.fixedValues(
            plan.query().collection().info(), plan.query().criteria().filter());
    var told = new BsonDocument("key", key.definition());
    if (values != null) {
      var some = new BsonArray();
      values.stream().limit(KEYS_TOLD_MAX).forEach(value -> some.add(value.toBsonValue()));
      told.append("values", some).append("numValues", Numbers.intOrLong(values.size()));
    }
    var partitions = new BsonArray();
    plan.partitions().forEach(partition -> partitions.add(name(partition)));
    description.append(SyntheticKey.OPTION, told.append("partitions", partitions));
  }

  /** The query without its values: queries of one shape have one hash. */
  static String shape(BsonValue value) {
    Allowance.current().step();
    if (value.isDocument()) {
      var text = new StringBuilder("{");
      value
          .asDocument()
          .forEach((name, inner) -> text.append(name).append(':').append(shape(inner)));
      return text.append('}').toString();
    }
    return value.isArray() && value.asArray().stream().allMatch(BsonValue::isDocument)
        ? value.asArray().stream().map(Explanation::shape).toList().toString()
        : "?";
  }

  private BsonString hash(String shape) {
    var crc = new CRC32();
    crc.update((shape + plan.query().order().document()).getBytes(StandardCharsets.UTF_8));
    return new BsonString(String.format(Locale.ROOT, "%08X", crc.getValue()));
  }

  private BsonDocument mergePlanner(PartitionsNode merge) {
    var shards = new BsonArray();
    for (PartitionStore partition : merge.partitions()) {
      var shard = new BsonDocument("shardName", name(partition));
      shard.putAll(description(false));
      var rejected = new BsonArray();
      plan.trees().stream()
          .skip(1)
          .forEach(tree -> rejected.add(stage(((PartitionsNode) tree).input(), null)));
      shard.append("winningPlan", stage(merge.input(), null)).append("rejectedPlans", rejected);
      shards.add(shard);
    }
    BsonDocument winning = stage(merge, null).append("shards", shards);
    return description(true)
        .append("winningPlan", winning)
        .append("rejectedPlans", new BsonArray());
  }

  static BsonString name(PartitionStore partition) {
    return new BsonString("partition-" + partition.id());
  }

  /** A node with its inputs; without a run, only what is planned. */
  BsonDocument stage(PlanNode node, @Nullable PlanRun run) {
    if (node instanceof KeyNode key && !key.isProjection()) {
      return stage(key.input(), run);
    }
    if (node instanceof FirstOfEachNode firsts) { // its scan tells of it
      return stage(firsts.input(), run);
    }
    var explanation =
        new StageExplanation(plan.query(), run == null ? null : run.statisticsOf(node));
    node.explain(explanation);
    BsonDocument document = explanation.build();
    List<PlanNode> inputs = node.inputs();
    if (inputs.size() == 1) {
      document.append("inputStage", stage(inputs.get(0), run));
    } else if (inputs.size() > 1) {
      var stages = new BsonArray();
      inputs.forEach(input -> stages.add(stage(input, run)));
      document.append("inputStages", stages);
    }
    return document;
  }

  private BsonDocument executionStats(ExplainVerbosity verbosity, Execution execution) {
    var run = plan.newRun(execution, true);
    long started = System.nanoTime();
    long returned = 0;
    RowCursor rows = plan.open(run);
    try {
      for (Row row = rows.next(); row != null; row = rows.next()) {
        returned++;
        execution.countResult(row.document() == null ? 0 : row.document().length());
      }
    } finally {
      rows.close();
    }
    long millis = (System.nanoTime() - started) / 1_000_000;
    BsonDocument stages =
        root() instanceof PartitionsNode merge
            ? mergeStages(merge, run, millis)
            : stage(root(), plan.partitions().isEmpty() ? run : plan.runOfRoot(run));
    var statistics = totals(run, returned, millis).append("executionStages", stages);
    if (verbosity == ExplainVerbosity.ALL_PLANS_EXECUTION) {
      statistics.append("allPlansExecution", new PlanTrials(plan, this).explain(execution));
    }
    return statistics;
  }

  private static BsonDocument totals(PlanRun run, long returned, long millis) {
    return new BsonDocument("executionSuccess", BsonBoolean.TRUE)
        .append("nReturned", Numbers.intOrLong(returned))
        .append("executionTimeMillis", Numbers.intOrLong(millis))
        .append("totalKeysExamined", Numbers.intOrLong(run.total(one -> one.keysExamined)))
        .append("totalDocsExamined", Numbers.intOrLong(run.total(one -> one.documentsExamined)));
  }

  private BsonDocument mergeStages(PartitionsNode merge, PlanRun run, long millis) {
    var shards = new BsonArray();
    for (PartitionStore partition : merge.partitions()) {
      PlanRun part = run.on(partition);
      long returned = part.statisticsOf(merge.input()).advanced;
      var shard = new BsonDocument("shardName", name(partition));
      shard.putAll(totals(part, returned, millis));
      shards.add(shard.append("executionStages", stage(merge.input(), part)));
    }
    var stage = new BsonDocument("stage", stage(merge, null).get("stage"));
    BsonDocument totals = totals(run, run.statisticsOf(merge).advanced, millis);
    totals.remove("executionSuccess");
    stage.putAll(totals);
    return stage.append("totalChildMillis", Numbers.intOrLong(millis)).append("shards", shards);
  }
}
