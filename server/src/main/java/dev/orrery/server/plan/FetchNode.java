package dev.orrery.server.plan;

import dev.orrery.language.query.Filter;
import dev.orrery.language.query.MatchDetails;
import dev.orrery.storage.StoredDocument;
import java.util.List;
import org.bson.BsonInt32;

/**
 * Reads the documents behind index entries and keeps the matches. The whole filter is tested, as a
 * document may have changed since its entry was read.
 *
 * @param residue what the bounds of the scans do not already ensure; only explained
 */
record FetchNode(Filter filter, Filter residue, PlanNode input) implements PlanNode {
  @Override
  public RowCursor open(PlanRun run) {
    var execution = run.execution();
    var statistics = run.statisticsOf(this);
    var entries = input.open(run);
    var details = new MatchDetails();
    return () -> {
      for (Row row = entries.next(); row != null; row = entries.next()) {
        execution.checkInterruption();
        StoredDocument one = row.entry().cursor().fetch(execution.meter());
        statistics.documentsExamined += one == null ? 0 : 1;
        details.reset();
        if (one != null && filter.matches(one.document(), details)) {
          statistics.advanced++;
          return Row.of(row.entry(), one, details.arrayIndex());
        }
        statistics.skipped++;
      }
      statistics.isAtEnd = true;
      return null;
    };
  }

  @Override
  public List<PlanNode> inputs() {
    return List.of(input);
  }

  @Override
  public void explain(StageExplanation explanation) {
    explanation.stage("FETCH").filter(residue);
    explanation.count("docsExamined", statistics -> statistics.documentsExamined);
    explanation.counter("alreadyHasObj", new BsonInt32(0));
  }
}
