package dev.orrery.server.plan;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import dev.orrery.language.limit.Holding;
import dev.orrery.language.limit.SortedRuns;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/*
 * Rows are kept with their encoded keys until memory is full, that of the execution or that of the
 * server; then they are sorted and written to a file as one run, and in the end all runs and what
 * is still in memory are merged. With a limit only the best rows so far are kept, in a heap whose
 * root is the worst of them. Rows with equal keys stay in the order in which they came: each has a
 * number. All sorts of one execution share one allowance, as those of several partitions are held
 * at the same time.
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
  private final SortedRuns<Keyed> runs;
  private final Holding holding;
  private List<Keyed> rows = new ArrayList<>();
  private PriorityQueue<Keyed> best = newHeap();
  private boolean isShort;
  private long count;
  private long returned;

  RowSorter(Execution execution, StageStatistics statistics, long limit) {
    this.execution = execution;
    this.statistics = statistics;
    this.limit = limit;
    this.runs = new SortedRuns<>(execution.area(), Keyed.ORDER, new SortRun());
    this.holding = new Holding(execution.memory());
    execution.memory().add(runs);
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
    if (isShort || execution.isSortMemoryFull()) {
      spill();
    }
  }

  private void hold(long bytes) {
    isShort = !holding.grow(bytes);
    execution.holdSortBytes(bytes);
  }

  private void spill() {
    if (!execution.isDiskAllowed()) {
      throw new CommandException(
          ErrorCode.QUERY_EXCEEDED_MEMORY_LIMIT_NO_DISK_USE_ALLOWED,
          "Executor error during find command :: caused by :: Sort exceeded memory limit of "
              + (isShort ? holding.bytes() : execution.sortBytesMax())
              + " bytes, but did not opt in to external sorting.");
    }
    statistics.bytesSpilled += runs.write(inOrder());
    statistics.spills++;
    rows = new ArrayList<>();
    best = newHeap();
    release();
  }

  private List<Keyed> inOrder() {
    List<Keyed> held = limit == 0 ? rows : new ArrayList<>(best);
    held.sort(Allowance.current().watch(Keyed.ORDER));
    return held;
  }

  private void release() {
    execution.holdSortBytes(-holding.bytes());
    holding.clear();
    isShort = false;
  }

  /** The rows in order; no more may be added. */
  RowCursor finish() {
    List<Keyed> held = inOrder();
    rows = List.of();
    best = newHeap();
    runs.finish(held, this::release);
    return () -> {
      Keyed next = limit > 0 && returned == limit ? null : runs.next();
      returned++;
      return next == null ? null : next.row();
    };
  }

  void close() {
    execution.memory().remove(runs);
    runs.close();
    release();
  }
}
