package dev.orrery.server.plan;

import dev.orrery.language.query.FilterMetadata;
import dev.orrery.language.query.SortPattern;
import dev.orrery.storage.PartitionStore;
import dev.orrery.value.KeyEncoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Runs one plan on several partitions. With an order each partition gives its rows in order and
 * they are merged; without one the partitions come one after the other, and those behind a limit
 * are never asked.
 */
record PartitionsNode(
    PlanNode input, List<PartitionStore> partitions, @Nullable RowOrder order, Query.Window window)
    implements PlanNode {
  /** An order of rows: bytes that compare, unsigned, as the rows do. */
  @FunctionalInterface
  interface RowOrder {
    /** The nearest first, by the distances that a search found. */
    RowOrder BY_DISTANCE = row -> KeyEncoder.encode(row.metadata().get(FilterMetadata.DISTANCE));

    byte[] key(Row row);

    /** The order of a sort. */
    static RowOrder by(SortPattern sort) {
      return row -> sort.key(row.stored().document(), row.metadata());
    }
  }

  PartitionsNode {
    partitions = List.copyOf(partitions);
  }

  @Override
  public RowCursor open(PlanRun run) {
    RowCursor rows =
        order == null || partitions.size() == 1
            ? new Concatenation(run)
            : new SortedMerge(run, order);
    return new Windowed(rows, window, run.statisticsOf(this));
  }

  @Override
  public List<PlanNode> inputs() {
    return List.of();
  }

  @Override
  public void explain(StageExplanation explanation) {
    String many = order == null ? "SHARD_MERGE" : "SHARD_MERGE_SORT";
    explanation.stage(partitions.size() == 1 ? "SINGLE_SHARD" : many);
  }

  /** One partition after the other, each opened when it is its turn. */
  private final class Concatenation implements RowCursor {
    private final PlanRun run;
    private final Iterator<PartitionStore> remaining = partitions.iterator();
    private @Nullable RowCursor current;

    Concatenation(PlanRun run) {
      this.run = run;
    }

    @Override
    public @Nullable Row next() {
      for (; ; ) {
        if (current == null) {
          if (!remaining.hasNext()) {
            return null;
          }
          current = input.open(run.on(remaining.next()));
        }
        Row row = current.next();
        if (row != null) {
          return row;
        }
        current.close();
        current = null;
      }
    }

    @Override
    public void close() {
      if (current != null) {
        current.close();
      }
    }
  }

  /** A partition's next row under its sort key. */
  private record Head(byte[] key, int partition, Row row) {
    static final Comparator<Head> ORDER =
        Comparator.comparing(Head::key, Arrays::compareUnsigned).thenComparingInt(Head::partition);
  }

  /** The smallest row of all partitions comes next. */
  private final class SortedMerge implements RowCursor {
    private final RowOrder merged;
    private final List<RowCursor> cursors = new ArrayList<>();
    private final PriorityQueue<Head> heads = new PriorityQueue<>(Head.ORDER);
    private int taken = -1;

    SortedMerge(PlanRun run, RowOrder merged) {
      this.merged = merged;
      for (PartitionStore partition : partitions) {
        cursors.add(input.open(run.on(partition)));
      }
    }

    @Override
    public @Nullable Row next() {
      if (taken >= 0) { // only now, so that no partition reads further than it must
        advance(taken);
      } else {
        for (int i = 0; i < cursors.size(); i++) {
          advance(i);
        }
      }
      Head first = heads.poll();
      taken = first == null ? taken : first.partition();
      return first == null ? null : first.row();
    }

    private void advance(int partition) {
      Row row = cursors.get(partition).next();
      if (row != null) {
        heads.add(new Head(merged.key(row), partition, row));
      }
    }

    @Override
    public void close() {
      cursors.forEach(RowCursor::close);
    }
  }

  /** Skips and limits what the partitions gave together. */
  private record Windowed(RowCursor rows, Query.Window window, StageStatistics statistics)
      implements RowCursor {
    @Override
    public @Nullable Row next() {
      boolean isFull = window.limit() > 0 && statistics.advanced == window.limit();
      for (Row row = isFull ? null : rows.next(); row != null; row = rows.next()) {
        if (statistics.skipped == window.skip()) {
          statistics.advanced++;
          return row;
        }
        statistics.skipped++;
      }
      statistics.isAtEnd = true;
      return null;
    }

    @Override
    public void close() {
      rows.close();
    }
  }
}
