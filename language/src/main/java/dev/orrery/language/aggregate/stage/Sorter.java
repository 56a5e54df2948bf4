package dev.orrery.language.aggregate.stage;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import dev.orrery.language.limit.Holding;
import dev.orrery.language.limit.SortedRuns;
import dev.orrery.value.RawDocument;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * Sorts documents by keys of bytes, equal ones in the order of their coming. What does not fit into
 * memory goes to disk in sorted runs, which are merged in the end.
 */
public final class Sorter implements AutoCloseable {
  private static final Comparator<Entry> ORDER =
      (left, right) -> {
        int order = Arrays.compareUnsigned(left.key, right.key);
        return order != 0 ? order : Long.compare(left.number, right.number);
      };

  /** The key (length, bytes), the number, the document (its length is a part of it). */
  private static final class Format implements SortedRuns.Format<Entry> {
    @Override
    public void write(DataOutputStream out, Entry entry) throws IOException {
      RawDocument document = Documents.encode(entry.document);
      out.writeInt(entry.key.length);
      out.write(entry.key);
      out.writeLong(entry.number);
      out.writeInt(document.length());
      out.write(document.bytes(), document.offset(), document.length());
    }

    @Override
    public Entry read(DataInputStream in) throws IOException {
      byte[] key = new byte[in.readInt()];
      in.readFully(key);
      long number = in.readLong();
      byte[] document = new byte[in.readInt()];
      in.readFully(document);
      return new Entry(key, number, RawDocument.wrap(document).toBsonDocument());
    }
  }

  /** A document, its key, and when it came. */
  public record Entry(byte[] key, long number, BsonDocument document) {
    long heapBytes() {
      return 64 + key.length + Documents.heapBytes(document);
    }
  }

  private final PipelineRun.Spill spill;
  private final long limit;
  private final SortedRuns<Entry> runs;
  private final Holding holding;
  private List<Entry> entries = new ArrayList<>();
  private @Nullable PriorityQueue<Entry> best;
  private long count;
  private long given;

  /**
   * @param limit how many of the first are wanted; 0 is all
   */
  public Sorter(PipelineRun.Spill spill, long limit) {
    this.spill = spill;
    this.limit = limit;
    this.runs = new SortedRuns<>(spill.area(), ORDER, new Format());
    this.holding = new Holding(spill.memory());
    spill.memory().add(runs);
    if (limit > 0 && limit <= 100_000) {
      best = new PriorityQueue<>(Collections.reverseOrder(ORDER));
    }
  }

  public void add(byte[] key, BsonDocument document) {
    if (best != null) {
      addToBest(key, document);
      return;
    }
    var entry = new Entry(key, count++, document);
    entries.add(entry);
    if (!spill.fits(holding, entry.heapBytes())) {
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
    long bytes = entry.heapBytes();
    if (best.size() > limit) {
      bytes -= best.poll().heapBytes();
    }
    if (!spill.fits(holding, bytes)) {
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
              + Math.min(spill.bytesMax(), holding.bytes())
              + " bytes, but did not opt in to external sorting.");
    }
    entries.sort(Allowance.current().watch(ORDER));
    runs.write(entries);
    entries = new ArrayList<>();
    holding.clear();
  }

  public void finish() {
    if (best != null) {
      entries = new ArrayList<>(best);
      best = null;
    }
    entries.sort(Allowance.current().watch(ORDER));
    runs.finish(entries, holding::clear);
    entries = List.of();
  }

  public @Nullable BsonDocument next() {
    Entry next = nextEntry();
    return next == null ? null : next.document();
  }

  /** The next document with its key, or null at the end. */
  @Nullable Entry nextEntry() {
    if (limit > 0 && given == limit) {
      return null;
    }
    given++;
    return runs.next();
  }

  @Override
  public void close() {
    spill.memory().remove(runs);
    runs.close();
    holding.close();
  }
}
