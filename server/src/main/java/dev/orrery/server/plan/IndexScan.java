package dev.orrery.server.plan;

import dev.orrery.server.plan.bounds.IndexAccess;
import dev.orrery.server.plan.bounds.ScanBounds;
import dev.orrery.storage.IndexCursor;
import dev.orrery.storage.IndexRange;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the entries of an index inside bounds, in its order or against it, each record once. */
record IndexScan(IndexAccess access, boolean isReverse) implements PlanNode {
  @Override
  public RowCursor open(PlanRun run) {
    run.execution().visit(run.partition().id());
    var bounds = ScanBounds.of(access, isReverse);
    var statistics = run.statisticsOf(this);
    if (bounds.isEmpty()) {
      return () -> {
        statistics.isAtEnd = true;
        return null;
      };
    }
    IndexRange range = access.range() == null ? bounds.range() : turned(access.range());
    boolean needsCheck = access.range() == null && !bounds.isContiguous();
    var cursor = run.partition().scan(access.index(), range);
    return new Scan(run.execution(), statistics, cursor, needsCheck ? bounds : null);
  }

  private IndexRange turned(IndexRange range) {
    return new IndexRange(
        range.low(), range.lowInclusive(), range.high(), range.highInclusive(), isReverse);
  }

  /** One run over one partition. */
  private final class Scan implements RowCursor {
    private final Execution execution;
    private final StageStatistics statistics;
    private final IndexCursor cursor;
    private final @Nullable ScanBounds bounds;
    private final @Nullable SeenRecords seen;

    Scan(
        Execution execution,
        StageStatistics statistics,
        IndexCursor cursor,
        @Nullable ScanBounds bounds) {
      this.execution = execution;
      this.statistics = statistics;
      this.cursor = cursor;
      this.bounds = bounds;
      boolean mayRepeat = access.mayRepeat() || execution.isForWrites();
      this.seen = mayRepeat ? new SeenRecords(execution.memory()) : null;
      statistics.seeks = 1;
    }

    private boolean advance() {
      boolean isThere = cursor.next(execution.meter());
      while (!isThere && execution.await(cursor.load(execution.meter()))) {
        isThere = cursor.next(execution.meter());
      }
      return isThere;
    }

    @Override
    public @Nullable Row next() {
      while (!statistics.isAtEnd && advance()) {
        execution.checkInterruption();
        statistics.keysExamined++;
        byte[] key = cursor.key();
        if (isInside(key) && isNew()) {
          statistics.advanced++;
          return Row.of(new Row.Entry(IndexScan.this, cursor, key, cursor.recordId()));
        }
        statistics.skipped++;
      }
      statistics.isAtEnd = true;
      return null;
    }

    @Override
    public void close() {
      if (seen != null) {
        seen.close();
      }
    }

    private boolean isInside(byte[] key) {
      if (bounds == null) {
        return true;
      }
      ScanBounds.Step step = bounds.check(key);
      if (step.target() != null) {
        seek(step.target(), key);
      } else if (!step.isInside()) {
        statistics.isAtEnd = true;
      }
      return step.isInside();
    }

    private void seek(byte[] target, byte[] key) {
      int order = Arrays.compareUnsigned(target, key);
      if (isReverse ? order < 0 : order > 0) { // else the next entry is as near
        cursor.seek(target);
        statistics.seeks++;
      }
    }

    private boolean isNew() {
      if (seen == null) {
        return true;
      }
      statistics.duplicatesTested++;
      boolean isNew = seen.add(cursor.recordId());
      statistics.duplicatesDropped += isNew ? 0 : 1;
      return isNew;
    }
  }

  @Override
  public List<PlanNode> inputs() {
    return List.of();
  }

  @Override
  public void explain(StageExplanation explanation) {
    IndexScanExplanation.write(this, explanation);
  }
}
