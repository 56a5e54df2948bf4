package dev.orrery.server.plan;

import dev.orrery.language.query.Filter;
import dev.orrery.language.query.MatchDetails;
import dev.orrery.storage.Fetch;
import dev.orrery.storage.StoredDocument;
import java.util.List;
import org.bson.BsonInt32;
import org.jspecify.annotations.Nullable;

/**
 * Reads the documents behind index entries and keeps the matches. The whole filter is tested, as a
 * document may have changed since its entry was read.
 *
 * @param residue what the bounds of the scans do not already ensure; only explained
 */
record FetchNode(Filter filter, Filter residue, PlanNode input) implements PlanNode {
  @Override
  public RowCursor open(PlanRun run) {
    return new Fetching(run, input.open(run));
  }

  /** One run over one partition: as many at a time as it pays. */
  private final class Fetching implements RowCursor {
    private final PlanRun run;
    private final Execution execution;
    private final StageStatistics statistics;
    private final RowCursor entries;
    private final MatchDetails details = new MatchDetails();
    private final Fetch records;
    private final Row[] rows;
    private int used;

    Fetching(PlanRun run, RowCursor entries) {
      int size = run.partition().fetchSize();
      this.run = run;
      this.execution = run.execution();
      this.statistics = run.statisticsOf(FetchNode.this);
      this.entries = entries;
      this.records = new Fetch(size);
      this.rows = new Row[size];
    }

    @Override
    public @Nullable Row next() {
      while (used < records.size() || fill()) {
        Row row = rows[used];
        StoredDocument one = records.take(used++);
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
    }

    private boolean fill() {
      records.clear();
      used = 0;
      for (Row row = next(entries); row != null; row = next(entries)) {
        rows[records.size()] = row;
        records.add(row.entry().recordId());
      }
      if (records.size() > 0) {
        execution.checkInterruption();
        execution.await(run.partition().fetch(records, execution.meter()));
      }
      return records.size() > 0;
    }

    /** Fetches no more at a time than is wanted if everything matches. */
    private @Nullable Row next(RowCursor from) {
      long wanted = run.needed() == 0 ? Long.MAX_VALUE : run.needed() - statistics.advanced;
      boolean isEnough = records.size() >= Math.max(1, wanted);
      return records.isFull() || isEnough ? null : from.next();
    }

    @Override
    public void close() {
      entries.close();
    }
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
