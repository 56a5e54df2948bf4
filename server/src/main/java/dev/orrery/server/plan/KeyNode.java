package dev.orrery.server.plan;

import dev.orrery.language.query.Filter;
import dev.orrery.storage.Fetch;
import dev.orrery.storage.StoredDocument;
import dev.orrery.value.RawDocument;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes documents of index entries, with the fields that a covered query wants. Where the key of an
 * entry cannot tell them, as when an index comes to hold an array while the scan is under way, the
 * document is fetched.
 */
record KeyNode(Covering covering, Filter filter, PlanNode input) implements PlanNode {
  @Override
  public RowCursor open(PlanRun run) {
    return new Reading(run, input.open(run));
  }

  /** One run over one partition. An entry that needs its document has others look ahead for it. */
  private final class Reading implements RowCursor {
    private final PlanRun run;
    private final StageStatistics statistics;
    private final RowCursor entries;

    /** What was read ahead, in order. */
    private final Deque<Row> ready = new ArrayDeque<>();

    Reading(PlanRun run, RowCursor entries) {
      this.run = run;
      this.statistics = run.statisticsOf(KeyNode.this);
      this.entries = entries;
    }

    @Override
    public @Nullable Row next() {
      Row row = ready.poll();
      while (row == null) {
        Row entry = entries.next();
        if (entry == null) {
          statistics.isAtEnd = true;
          return null;
        }
        row = read(entry);
        if (row == null) {
          fetchFrom(entry);
          row = ready.poll();
        }
      }
      statistics.advanced++;
      return row;
    }

    /** The row that a key tells; null when the document must be asked. */
    private @Nullable Row read(Row row) {
      Row.Entry entry = row.entry();
      RawDocument read = covering.read(entry.key(), entry.cursor().fieldsSeen());
      return read == null
          ? null
          : Row.of(entry, new StoredDocument(run.partition(), entry.recordId(), 0, read), -1);
    }

    /** Gets the document of an entry, and in the same go those of as many as it pays. */
    private void fetchFrom(Row first) {
      var records = new Fetch(run.partition().fetchSize());
      var rows = new ArrayList<Row>();
      for (Row row = first; row != null; row = isEnough(records, rows) ? null : entries.next()) {
        Row told = read(row);
        if (told == null) {
          records.add(row.entry().recordId());
        }
        rows.add(told == null ? row : told);
      }
      run.execution().checkInterruption();
      run.execution().await(run.partition().fetch(records, run.execution().meter()));
      int next = 0;
      for (Row row : rows) {
        Row told = row.stored() == null ? fetched(row, records.take(next++)) : row;
        if (told != null) {
          ready.add(told);
        }
      }
    }

    /** Reads no further ahead than is wanted if everything matches. */
    private boolean isEnough(Fetch records, List<Row> rows) {
      long wanted = run.needed() == 0 ? Long.MAX_VALUE : run.needed() - statistics.advanced;
      int atOnce = run.partition().fetchSize();
      return records.isFull() || rows.size() >= Math.min(wanted, atOnce);
    }

    private @Nullable Row fetched(Row row, @Nullable StoredDocument one) {
      statistics.documentsExamined += one == null ? 0 : 1;
      return one != null && filter.matches(one.document()) ? Row.of(row.entry(), one, -1) : null;
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

  /** Whether it stands for a projection; else one above it reads the keys, as MongoDB has it. */
  boolean isProjection() {
    return covering.isExact();
  }

  @Override
  public void explain(StageExplanation explanation) {
    boolean isFlat = covering.wanted().stream().noneMatch(path -> path.indexOf('.') >= 0);
    explanation.stage(isFlat ? "PROJECTION_COVERED" : "PROJECTION_DEFAULT");
    explanation.add("transformBy", covering.projection());
  }
}
