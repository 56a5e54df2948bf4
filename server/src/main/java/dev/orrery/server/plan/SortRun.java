package dev.orrery.server.plan;

import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.PrivateFiles;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.value.RawDocument;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/*
 * The file is temporary and read by the same process only: for each row the key (length, bytes),
 * its number, partition id, record id, version, array index, and the document (length, bytes).
 * Index entries are not kept; nothing above a sort asks for them.
 */

/** Sorted rows in a temporary file. */
final class SortRun implements AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 16;

  private final Path file;
  private final int count;
  private final Map<Integer, PartitionStore> partitions;
  private @Nullable DataInputStream input;

  private SortRun(Path file, int count, Map<Integer, PartitionStore> partitions) {
    this.file = file;
    this.count = count;
    this.partitions = partitions;
  }

  static SortRun write(Path directory, List<RowSorter.Keyed> rows) throws IOException {
    PrivateFiles.createDirectories(directory);
    Path file = PrivateFiles.createTempFile(directory, "sort", ".run");
    var partitions = new HashMap<Integer, PartitionStore>();
    try (var out =
        new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file), BUFFER_BYTES))) {
      for (var row : rows) {
        StoredDocument stored = row.row().stored();
        partitions.put(stored.partition().id(), stored.partition());
        write(out, row, stored);
      }
    }
    return new SortRun(file, rows.size(), partitions);
  }

  private static void write(DataOutputStream out, RowSorter.Keyed row, StoredDocument stored)
      throws IOException {
    out.writeInt(row.key().length);
    out.write(row.key());
    out.writeLong(row.number());
    out.writeInt(stored.partition().id());
    out.writeLong(stored.recordId());
    out.writeLong(stored.version());
    out.writeInt(row.row().arrayIndex());
    RawDocument document = stored.document();
    out.writeInt(document.length());
    out.write(document.bytes(), document.offset(), document.length());
  }

  long bytes() throws IOException {
    return Files.size(file);
  }

  Iterator<RowSorter.Keyed> open() {
    try {
      input =
          new DataInputStream(new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    DataInputStream source = input;
    return new Iterator<>() {
      private int read;

      @Override
      public boolean hasNext() {
        return read < count;
      }

      @Override
      public RowSorter.Keyed next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        read++;
        try {
          return readRow(source);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    };
  }

  private RowSorter.Keyed readRow(DataInputStream in) throws IOException {
    byte[] key = readBytes(in);
    long number = in.readLong();
    PartitionStore partition = partitions.get(in.readInt());
    long recordId = in.readLong();
    long version = in.readLong();
    int arrayIndex = in.readInt();
    var document = RawDocument.wrap(readBytes(in));
    var stored = new StoredDocument(partition, recordId, version, document);
    return new RowSorter.Keyed(key, number, Row.of(null, stored, arrayIndex));
  }

  private static byte[] readBytes(DataInputStream in) throws IOException {
    byte[] bytes = new byte[in.readInt()];
    in.readFully(bytes);
    return bytes;
  }

  @Override
  public void close() {
    try {
      if (input != null) {
        input.close();
      }
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
