package dev.orrery.server.aggregate;

import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import dev.orrery.server.limit.Allowance;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * Sorts documents by keys of bytes, equal ones in the order of their coming. What does not fit into
 * memory goes to disk in sorted runs, which are merged in the end.
 */
final class Sorter implements AutoCloseable {
  /** How many runs are merged at a time: each takes a buffer and a document of memory. */
  private static final int RUNS_MAX = 64;

  private static final Comparator<Entry> ORDER =
      (left, right) -> {
        int order = Arrays.compareUnsigned(left.key, right.key);
        return order != 0 ? order : Long.compare(left.number, right.number);
      };

  /** A document, its key, and when it came. */
  record Entry(byte[] key, long number, BsonDocument document) {
    long heapBytes() {
      return 64 + key.length + Documents.heapBytes(document);
    }
  }

  private final String stage;
  private final Run.Spill spill;
  private final long limit;
  private final List<SpillFile> runs = new ArrayList<>();
  private List<Entry> entries = new ArrayList<>();
  private @Nullable PriorityQueue<Entry> best;
  private @Nullable Iterator<Entry> sorted;
  private long count;
  private long bytes;

  /**
   * @param limit how many of the first are wanted; 0 is all
   */
  Sorter(String stage, Run.Spill spill, long limit) {
    this.stage = stage;
    this.spill = spill;
    this.limit = limit;
    if (limit > 0 && limit <= 100_000) {
      best = new PriorityQueue<>(Collections.reverseOrder(ORDER));
    }
  }

  void add(byte[] key, BsonDocument document) {
    if (best != null) {
      addToBest(key, document);
      return;
    }
    var entry = new Entry(key, count++, document);
    entries.add(entry);
    bytes += entry.heapBytes();
    if (bytes > spill.bytesMax()) {
      spill();
    }
  }

  /** Keeps only as many as are wanted: the root of the heap is the one to give way. */
  private void addToBest(byte[] key, BsonDocument document) {
    if (best.size() == limit && Arrays.compareUnsigned(key, best.peek().key) >= 0) {
      count++;
      return;
    }
    var entry = new Entry(key, count++, document);
    best.add(entry);
    bytes += entry.heapBytes();
    if (best.size() > limit) {
      bytes -= best.poll().heapBytes();
    }
    if (bytes > spill.bytesMax()) {
      entries = new ArrayList<>(best);
      best = null;
      spill();
    }
  }

  private void spill() {
    if (!spill.isAllowed()) {
      throw new CommandException(
          ErrorCode.QUERY_EXCEEDED_MEMORY_LIMIT_NO_DISK_USE_ALLOWED,
          "Sort exceeded memory limit of "
              + spill.bytesMax()
              + " bytes, but did not opt in to external sorting.");
    }
    entries.sort(Allowance.current().watch(ORDER));
    runs.add(write(entries.iterator()));
    entries = new ArrayList<>();
    bytes = 0;
    if (runs.size() == RUNS_MAX) {
      SpillFile all = write(merged());
      runs.forEach(SpillFile::close);
      runs.clear();
      runs.add(all);
    }
  }

  private SpillFile write(Iterator<Entry> ordered) {
    var run = new SpillFile(spill.directory(), stage);
    try {
      Allowance allowance = Allowance.current();
      while (ordered.hasNext()) {
        allowance.step();
        Entry entry = ordered.next();
        run.write(entry.key, entry.number, Documents.encode(entry.document));
      }
      run.finish();
      return run;
    } catch (RuntimeException e) {
      run.close();
      throw e;
    }
  }

  void finish() {
    if (best != null) {
      entries = new ArrayList<>(best);
      best = null;
    }
    entries.sort(Allowance.current().watch(ORDER));
    sorted = runs.isEmpty() ? entries.iterator() : merged();
    if (limit > 0) {
      sorted = limited(sorted);
    }
  }

  private Iterator<Entry> limited(Iterator<Entry> all) {
    return new Iterator<>() {
      private long given;

      @Override
      public boolean hasNext() {
        return given < limit && all.hasNext();
      }

      @Override
      public Entry next() {
        given++;
        return all.next();
      }
    };
  }

  /** The runs and what is left in memory, each sorted, as one sequence. */
  private Iterator<Entry> merged() {
    record Head(Entry entry, Iterator<Entry> rest) {}
    var heads = new PriorityQueue<Head>(Comparator.comparing(Head::entry, ORDER));
    var sequences = new ArrayList<Iterator<Entry>>();
    runs.forEach(run -> sequences.add(run.entries()));
    sequences.add(entries.iterator());
    for (Iterator<Entry> sequence : sequences) {
      if (sequence.hasNext()) {
        heads.add(new Head(sequence.next(), sequence));
      }
    }
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return !heads.isEmpty();
      }

      @Override
      public Entry next() {
        Head head = heads.remove();
        if (head.rest.hasNext()) {
          heads.add(new Head(head.rest.next(), head.rest));
        }
        return head.entry;
      }
    };
  }

  @Nullable BsonDocument next() {
    return sorted.hasNext() ? sorted.next().document() : null;
  }

  /** The next document with its key, or null at the end. */
  @Nullable Entry nextEntry() {
    return sorted.hasNext() ? sorted.next() : null;
  }

  @Override
  public void close() {
    runs.forEach(SpillFile::close);
  }
}
