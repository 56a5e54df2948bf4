package dev.orrery.language.limit;

import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * What a sort could not keep in memory, as sorted runs in temporary files, and what it could,
 * merged into one sequence. While it rests no file is open, and with little memory all of it is on
 * disk. Used by one thread at a time.
 */
public final class SortedRuns<T> implements Resting, AutoCloseable {
  /** How many runs are merged at a time: each takes a buffer and one element of memory. */
  private static final int RUNS_MAX = 64;

  private static final int BUFFER_BYTES = 64 << 10;

  /** How elements are written to a file, and read again by the same process. */
  public interface Format<T> {
    void write(DataOutputStream out, T element) throws IOException;

    T read(DataInputStream in) throws IOException;
  }

  /** Elements in order, and the first of those that are left. */
  private interface Source<T> {
    /** Goes on to the next element; false at the end. */
    boolean advance();

    T head();

    /** Forgets the first element; the next {@link #advance} leads to it again. */
    void stepBack();

    void rest();

    void close();
  }

  private final SpillArea area;
  private final Comparator<T> order;
  private final Format<T> format;
  private final List<Source<T>> runs = new ArrayList<>();
  private final PriorityQueue<Source<T>> heads;
  private List<T> kept = List.of();
  private @Nullable Kept memory;
  private @Nullable Runnable onSpill;
  private boolean isMerging;
  private long bytesWritten;

  public SortedRuns(SpillArea area, Comparator<T> order, Format<T> format) {
    this.area = area;
    this.order = order;
    this.format = format;
    this.heads = new PriorityQueue<>(Comparator.comparing(Source::head, order));
  }

  /** Writes elements, which are in order, as one run; the number of bytes. */
  public long write(List<T> sorted) {
    long before = bytesWritten;
    runs.add(written(sorted.iterator()));
    if (runs.size() == RUNS_MAX) {
      Source<T> all = written(merged());
      runs.forEach(Source::close);
      runs.clear();
      runs.add(all);
    }
    return bytesWritten - before;
  }

  public boolean isEmpty() {
    return runs.isEmpty();
  }

  /**
   * Ends the writing.
   *
   * @param sorted what is left in memory, in order
   * @param spilled told when that was written to disk, or taken to the end
   */
  public void finish(List<T> sorted, Runnable spilled) {
    kept = sorted;
    onSpill = spilled;
    memory = new Kept();
    runs.add(memory);
  }

  /** The next element, or null at the end. */
  public @Nullable T next() {
    if (!isMerging) {
      isMerging = true;
      runs.removeIf(run -> !enter(run));
    }
    Source<T> first = heads.poll();
    if (first == null) {
      return null;
    }
    T next = first.head();
    if (!enter(first)) {
      runs.remove(first);
    }
    return next;
  }

  /** Lets a source take part in the merge; false, and it is closed, when it has nothing left. */
  private boolean enter(Source<T> source) {
    if (source.advance()) {
      return heads.add(source);
    }
    source.close();
    return false;
  }

  private Iterator<T> merged() {
    return new Iterator<>() {
      private @Nullable T following = SortedRuns.this.next();

      @Override
      public boolean hasNext() {
        if (following == null) {
          isMerging = false; // the merged runs are closed, others will follow
        }
        return following != null;
      }

      @Override
      public T next() {
        T current = following;
        following = SortedRuns.this.next();
        return current;
      }
    };
  }

  private Source<T> written(Iterator<T> sorted) {
    SpillFile file = null;
    try {
      file = area.create("sort");
      try (var out = new DataOutputStream(new BufferedOutputStream(file.output(), BUFFER_BYTES))) {
        while (sorted.hasNext()) {
          Allowance.current().step();
          format.write(out, sorted.next());
        }
      }
      bytesWritten += file.length();
      return new Written(file);
    } catch (IOException e) {
      delete(file);
      throw SpillFailure.of(e);
    } catch (RuntimeException | Error e) {
      delete(file);
      throw e;
    }
  }

  private static void delete(@Nullable SpillFile file) {
    try {
      if (file != null) {
        file.close();
      }
    } catch (IOException e) {
      throw SpillFailure.of(e);
    }
  }

  @Override
  public void rest(boolean spills) {
    if (spills) {
      if (isMerging) {
        heads.forEach(Source::stepBack);
        heads.clear();
      }
      spillKept();
      isMerging = false;
    }
    runs.forEach(Source::rest);
  }

  private void spillKept() {
    if (memory == null || memory.next >= kept.size()) {
      return;
    }
    Source<T> file = written(kept.listIterator(memory.next));
    runs.remove(memory);
    runs.add(file);
    memory.close();
    memory = null;
  }

  @Override
  public void close() {
    heads.clear();
    runs.forEach(Source::close);
    runs.clear();
  }

  /** What is in memory. */
  private final class Kept implements Source<T> {
    private int next;

    @Override
    public boolean advance() {
      if (next > 0 && next <= kept.size()) {
        kept.set(next - 1, null); // it was given away
      }
      return next++ < kept.size();
    }

    @Override
    public T head() {
      return kept.get(next - 1);
    }

    @Override
    public void stepBack() {
      next--;
    }

    @Override
    public void rest() {}

    @Override
    public void close() {
      kept = List.of();
      if (onSpill != null) {
        onSpill.run();
        onSpill = null;
      }
    }
  }

  /** A file, which is deleted at its end. */
  private final class Written implements Source<T> {
    private final SpillFile file;
    private final SpillInput input;
    private final DataInputStream data;
    private @Nullable T head;
    private long headAt;

    Written(SpillFile file) {
      this.file = file;
      this.input = new SpillInput(file);
      this.data = new DataInputStream(input);
    }

    @Override
    public boolean advance() {
      try {
        headAt = input.position();
        head = input.hasMore() ? format.read(data) : null;
        return head != null;
      } catch (IOException e) {
        throw SpillFailure.of(e);
      }
    }

    @Override
    public T head() {
      return head;
    }

    @Override
    public void stepBack() {
      head = null;
      input.position(headAt);
    }

    @Override
    public void rest() {
      try {
        input.rest();
      } catch (IOException e) {
        throw SpillFailure.of(e);
      }
    }

    @Override
    public void close() {
      try {
        head = null;
        file.close();
      } catch (IOException e) {
        throw SpillFailure.of(e);
      }
    }
  }
}
