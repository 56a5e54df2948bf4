package dev.orrery.server.plan;

import dev.orrery.language.limit.SortedRuns;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StoredDocument;
import dev.orrery.value.RawDocument;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.bson.BsonDocument;

/*
 * The file is temporary and read by the same process only: for each row the key (length, bytes),
 * its number, partition id, record id, version, array index, the document (length, bytes), and its
 * metadata as another one.
 * Index entries are not kept; nothing above a sort asks for them.
 */

/** How sorted rows are written to a temporary file. */
final class SortRun implements SortedRuns.Format<RowSorter.Keyed> {
  private final Map<Integer, PartitionStore> partitions = new HashMap<>();

  @Override
  public void write(DataOutputStream out, RowSorter.Keyed row) throws IOException {
    StoredDocument stored = row.row().stored();
    partitions.put(stored.partition().id(), stored.partition());
    out.writeInt(row.key().length);
    out.write(row.key());
    out.writeLong(row.number());
    out.writeInt(stored.partition().id());
    out.writeLong(stored.recordId());
    out.writeLong(stored.version());
    out.writeInt(row.row().arrayIndex());
    write(out, stored.document());
    var metadata = new BsonDocument();
    metadata.putAll(row.row().metadata());
    write(out, RawDocument.of(metadata));
  }

  private static void write(DataOutputStream out, RawDocument document) throws IOException {
    out.writeInt(document.length());
    out.write(document.bytes(), document.offset(), document.length());
  }

  @Override
  public RowSorter.Keyed read(DataInputStream in) throws IOException {
    byte[] key = readBytes(in);
    long number = in.readLong();
    PartitionStore partition = partitions.get(in.readInt());
    long recordId = in.readLong();
    long version = in.readLong();
    int arrayIndex = in.readInt();
    var document = RawDocument.wrap(readBytes(in));
    var stored = new StoredDocument(partition, recordId, version, document);
    BsonDocument metadata = RawDocument.wrap(readBytes(in)).toBsonDocument();
    Row row = Row.of(null, stored, arrayIndex).withMetadata(metadata);
    return new RowSorter.Keyed(key, number, row);
  }

  private static byte[] readBytes(DataInputStream in) throws IOException {
    byte[] bytes = new byte[in.readInt()];
    in.readFully(bytes);
    return bytes;
  }
}
