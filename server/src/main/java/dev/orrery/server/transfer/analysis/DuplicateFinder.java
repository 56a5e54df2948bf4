package dev.orrery.server.transfer.analysis;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Finds keys that occur in more than one document, however many there are: keeps hashes of 128
 * bits, sorts them in memory, and writes sorted runs to temporary files when they are too many.
 * Different keys with one hash are not to be expected in the life of the universe.
 */
public final class DuplicateFinder implements Closeable {
  private static final int EXAMPLES_MAX = 3;

  /** The hash of a key, and the record it is of. */
  private record Entry(long high, long low, long ordinal) {
    private static final Comparator<Entry> ORDER =
        Comparator.comparingLong(Entry::high)
            .thenComparingLong(Entry::low)
            .thenComparingLong(Entry::ordinal);

    boolean isSameKey(Entry other) {
      return high == other.high && low == other.low;
    }
  }

  /** How many records repeat a key, and some of them: the number of the first, and the other. */
  public record Duplicates(long count, List<long[]> examples) {}

  private final int entriesMax;
  private final MessageDigest digest;
  private final List<Path> runs = new ArrayList<>();
  private List<Entry> entries = new ArrayList<>();

  public DuplicateFinder(int entriesMax) {
    this.entriesMax = entriesMax;
    try {
      this.digest = MessageDigest.getInstance("MD5"); // fast, and nobody attacks their own import
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }

  public void add(byte[] key, long ordinal) throws IOException {
    var hash = ByteBuffer.wrap(digest.digest(key));
    entries.add(new Entry(hash.getLong(), hash.getLong(), ordinal));
    if (entries.size() == entriesMax) {
      spill();
    }
  }

  private void spill() throws IOException {
    entries.sort(Entry.ORDER);
    Path run = Files.createTempFile("orrery-keys", ".run");
    runs.add(run);
    try (var out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(run)))) {
      for (Entry entry : entries) {
        out.writeLong(entry.high);
        out.writeLong(entry.low);
        out.writeLong(entry.ordinal);
      }
    }
    entries = new ArrayList<>();
  }

  /** Merges all runs; to be called once, at the end. */
  public Duplicates find() throws IOException {
    entries.sort(Entry.ORDER);
    var cursors = new PriorityQueue<Cursor>(Comparator.comparing(c -> c.current, Entry.ORDER));
    var opened = new ArrayList<Cursor>();
    try {
      for (Path run : runs) {
        opened.add(
            new Cursor(new DataInputStream(new BufferedInputStream(Files.newInputStream(run)))));
      }
      opened.add(new Cursor(entries));
      opened.stream().filter(cursor -> cursor.current != null).forEach(cursors::add);
      return merge(cursors);
    } finally {
      for (Cursor cursor : opened) {
        cursor.close();
      }
    }
  }

  private static Duplicates merge(PriorityQueue<Cursor> cursors) throws IOException {
    long count = 0;
    var examples = new ArrayList<long[]>();
    Entry first = null;
    while (!cursors.isEmpty()) {
      Cursor cursor = cursors.poll();
      Entry entry = cursor.current;
      if (first == null || !entry.isSameKey(first)) {
        first = entry;
      } else if (entry.ordinal != first.ordinal) {
        count++;
        if (examples.size() < EXAMPLES_MAX) {
          examples.add(new long[] {first.ordinal, entry.ordinal});
        }
      }
      if (cursor.advance()) {
        cursors.add(cursor);
      }
    }
    return new Duplicates(count, examples);
  }

  @Override
  public void close() {
    for (Path run : runs) {
      try {
        Files.deleteIfExists(run);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** A run that is read, or the entries in memory. */
  private static final class Cursor implements Closeable {
    private final @Nullable DataInputStream in;
    private final List<Entry> entries;
    private int next;
    private @Nullable Entry current;

    Cursor(DataInputStream in) throws IOException {
      this.in = in;
      this.entries = List.of();
      advance();
    }

    Cursor(List<Entry> entries) throws IOException {
      this.in = null;
      this.entries = entries;
      advance();
    }

    boolean advance() throws IOException {
      if (in == null) {
        current = next < entries.size() ? entries.get(next++) : null;
      } else {
        try {
          current = new Entry(in.readLong(), in.readLong(), in.readLong());
        } catch (EOFException e) {
          current = null;
        }
      }
      return current != null;
    }

    @Override
    public void close() throws IOException {
      if (in != null) {
        in.close();
      }
    }
  }
}
