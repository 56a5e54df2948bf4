package dev.orrery.server.plan;

import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import dev.orrery.server.limit.Allowance;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/*
 * Rows are kept with their encoded keys until memory is full; then they are sorted and written to
 * a file as one run, and in the end all runs and what is still in memory are merged. With a limit
 * only the best rows so far are kept, in a heap whose root is the worst of them. Rows with equal
 * keys stay in the order in which they came: each has a number. All sorts of one execution share
 * one allowance, as those of several partitions are held at the same time.
 */

/** Sorts rows by encoded keys within a bound of memory, with files behind it where allowed. */
final class RowSorter {
  /** What a row takes beside its key and its document. */
  private static final int ROW_BYTES = 120;

  /** A row, its key, and when it came. */
  record Keyed(byte[] key, long number, Row row) {
    static final Comparator<Keyed> ORDER =
        Comparator.comparing(Keyed::key, Arrays::compareUnsigned).thenComparingLong(Keyed::number);

    long bytes() {
      return ROW_BYTES + key.length + row.document().length();
    }
  }

  private final Execution execution;
  private final StageStatistics statistics;
  private final long limit;
  private final List<SortRun> runs = new ArrayList<>();
  private List<Keyed> rows = new ArrayList<>();
  private PriorityQueue<Keyed> best = newHeap();
  private long heldBytes;
  private long count;

  RowSorter(Execution execution, StageStatistics statistics, long limit) {
    this.execution = execution;
    this.statistics = statistics;
    this.limit = limit;
  }

  private static PriorityQueue<Keyed> newHeap() {
    return new PriorityQueue<>(Keyed.ORDER.reversed());
  }

  void add(byte[] key, Row row) {
    var keyed = new Keyed(key, count++, row);
    statistics.bytesSorted += keyed.bytes();
    if (limit == 0) {
      rows.add(keyed);
      hold(keyed.bytes());
    } else if (best.size() < limit) {
      best.add(keyed);
      hold(keyed.bytes());
    } else if (Keyed.ORDER.compare(keyed, best.peek()) < 0) {
      hold(keyed.bytes() - best.poll().bytes());
      best.add(keyed);
    }
    if (execution.isSortMemoryFull()) {
      spill();
    }
  }

  private void hold(long bytes) {
    heldBytes += bytes;
    execution.holdSortBytes(bytes);
  }

  private void spill() {
    if (!execution.isDiskAllowed()) {
      throw new CommandException(
          ErrorCode.QUERY_EXCEEDED_MEMORY_LIMIT_NO_DISK_USE_ALLOWED,
          "Executor error during find command :: caused by :: Sort exceeded memory limit of "
              + execution.sortBytesMax()
              + " bytes, but did not opt in to external sorting.");
    }
    try {
      var run = SortRun.write(execution.temporary(), inOrder());
      runs.add(run);
      statistics.spills++;
      statistics.bytesSpilled += run.bytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    release();
  }

  private List<Keyed> inOrder() {
    List<Keyed> held = limit == 0 ? rows : new ArrayList<>(best);
    held.sort(Allowance.current().watch(Keyed.ORDER));
    return held;
  }

  private void release() {
    rows = new ArrayList<>();
    best = newHeap();
    hold(-heldBytes);
  }

  /** The rows in order; no more may be added. */
  RowCursor finish() {
    Iterator<Keyed> held = inOrder().iterator();
    if (runs.isEmpty()) {
      return () -> held.hasNext() ? held.next().row() : null;
    }
    var sources = new ArrayList<Iterator<Keyed>>();
    runs.forEach(run -> sources.add(run.open()));
    sources.add(held);
    return new Merge(sources, limit);
  }

  void close() {
    release();
    runs.forEach(SortRun::close);
  }

  /** Merges sorted sources, up to a limit. */
  private static final class Merge implements RowCursor {
    private record Head(Keyed keyed, Iterator<Keyed> source) {}

    private final PriorityQueue<Head> heads =
        new PriorityQueue<>(Comparator.comparing(Head::keyed, Keyed.ORDER));
    private final long limit;
    private long returned;

    Merge(List<Iterator<Keyed>> sources, long limit) {
      this.limit = limit;
      sources.forEach(this::advance);
    }

    private void advance(Iterator<Keyed> source) {
      if (source.hasNext()) {
        heads.add(new Head(source.next(), source));
      }
    }

    @Override
    public @Nullable Row next() {
      Head head = limit > 0 && returned == limit ? null : heads.poll();
      if (head == null) {
        return null;
      }
      returned++;
      advance(head.source());
      return head.keyed().row();
    }
  }
}
