package dev.orrery.server.plan;

import dev.orrery.language.query.Filter;
import dev.orrery.language.query.MatchDetails;
import dev.orrery.storage.StoredDocument;
import java.util.List;
import org.bson.BsonString;

/** Reads every document of a partition in natural order, or against it, and keeps the matches. */
record CollectionScan(Filter filter, boolean isReverse) implements PlanNode {
  @Override
  public RowCursor open(PlanRun run) {
    var execution = run.execution();
    var statistics = run.statisticsOf(this);
    execution.visit(run.partition().id());
    var records = run.partition().scan(isReverse);
    var details = new MatchDetails();
    return () -> {
      for (; ; ) {
        execution.checkInterruption();
        StoredDocument one = records.next(execution.meter());
        while (one == null && execution.await(records.load(execution.meter()))) {
          one = records.next(execution.meter());
        }
        if (one == null) {
          statistics.isAtEnd = true;
          return null;
        }
        statistics.documentsExamined++;
        details.reset();
        if (filter.matches(one.document(), details)) {
          statistics.advanced++;
          return Row.of(null, one, details.arrayIndex());
        }
        statistics.skipped++;
      }
    };
  }

  @Override
  public List<PlanNode> inputs() {
    return List.of();
  }

  @Override
  public void explain(StageExplanation explanation) {
    explanation.stage("COLLSCAN").filter(filter);
    explanation.add("direction", new BsonString(isReverse ? "backward" : "forward"));
    explanation.count("docsExamined", statistics -> statistics.documentsExamined);
  }
}
