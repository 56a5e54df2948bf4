package dev.orrery.storage.recovery;

import dev.orrery.storage.Advice;
import dev.orrery.storage.PrivateFiles;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageHooks;
import dev.orrery.storage.catalog.Catalog;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.index.FileOwner;
import dev.orrery.storage.keyindex.KeyIndex;
import dev.orrery.storage.log.LogLoss;
import dev.orrery.storage.log.LogRecord;
import dev.orrery.storage.log.LogSalvage;
import dev.orrery.storage.partition.PartitionMap;
import dev.orrery.storage.structure.CatalogRecord;
import dev.orrery.storage.structure.DataRecord;
import dev.orrery.storage.structure.PartitionFiles;
import dev.orrery.storage.structure.PartitionOpener;
import dev.orrery.storage.upkeep.CheckpointFile;
import dev.orrery.value.LittleEndian;
import dev.orrery.value.RawDocument;
import dev.orrery.value.StringOrder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/**
 * Copies out of a damaged store every document that can still be read, in the latest version that
 * can be read, and tells what can't. Nobody may have the store open; nothing in it is changed.
 */
public final class StoreSalvage {
  /*
   * Documents and deletions come from the log. What compaction removed from it are old versions and
   * the records of deletions, so a document that was deleted long ago may still be in a segment
   * that was not compacted. The slots know better: where they can be read, a document that was
   * written before they were saved counts only if they name its place.
   *
   * The log is read twice: first for the catalog, which must be complete before the key of a document
   * is known, then for the documents.
   */

  /** Where the documents go, collection by collection. */
  public interface Output {
    /** Begins a collection or view; the one before has ended. */
    void begin(CollectionInfo info) throws IOException;

    /** Begins a collection of which only the number is known. */
    void begin(int collection) throws IOException;

    void write(byte[] document) throws IOException;

    void end() throws IOException;
  }

  /**
   * How a collection came out of it.
   *
   * @param older documents of which only an older version could be read; they are among the written
   * @param lost documents of which no version could be read, as far as that is known
   */
  public record Outcome(String name, long written, long older, long lost) {}

  /**
   * @param losses what could not be read
   * @param notes what else there is to know
   */
  public record Report(List<Outcome> collections, List<String> losses, List<String> notes) {
    /** Whether everything was read. */
    public boolean isComplete() {
      return losses.isEmpty()
          && collections.stream().allMatch(one -> one.older() == 0 && one.lost() == 0);
    }
  }

  private final Path directory;
  private final Path scratch;
  private final StorageHooks hooks;
  private final Map<Integer, SalvagedCollection> collections = new TreeMap<>();
  private final Set<Integer> dropped = new TreeSet<>();
  private final List<LogLoss> losses = new ArrayList<>();
  private final List<String> damaged = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private CheckpointFile.Content checkpoint;
  private Catalog catalog = new Catalog();

  /**
   * @param scratch a directory outside of the store that is made, used and removed
   */
  public StoreSalvage(Path directory, Path scratch, StorageHooks hooks) {
    this.directory = directory;
    this.scratch = scratch;
    this.hooks = hooks;
  }

  /**
   * @throws StorageException UNUSABLE when a newer version wrote the store, IO when something
   *     cannot be read or written at all
   */
  public Report run(Output output) throws IOException {
    PrivateFiles.createDirectories(scratch);
    readCheckpoint();
    long durableLsn = checkpoint == null ? 0 : checkpoint.replayFrom();
    try (var log =
        new LogSalvage(directory.resolve("log"), StoreSalvage::mayBeDocument, durableLsn)) {
      log.read(new CatalogReader(durableLsn));
      for (CollectionInfo info : catalog.collections()) {
        open(log, info);
      }
      log.read(new DocumentReader());
      noteSettings();
      return write(log, output);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    } finally {
      collections.values().forEach(SalvagedCollection::close);
      PartitionOpener.deleteDirectory(scratch);
    }
  }

  /** What a record of a document looks like from outside. */
  private static boolean mayBeDocument(
      byte kind, int metaBytes, ByteBuffer payload, int offset, int payloadBytes) {
    return kind >= DataRecord.INSERT
        && kind <= DataRecord.MOVE
        && DataRecord.isMetaOfDocument(metaBytes)
        && payloadBytes >= 5
        && payload.getInt(offset) == payloadBytes;
  }

  private void readCheckpoint() {
    try {
      checkpoint = new CheckpointFile(directory.resolve("checkpoint"), false).read();
    } catch (StorageException e) {
      if (e.reason() == StorageException.Reason.UNUSABLE) {
        throw e;
      }
      damaged.add(what(e) + "; collections and indexes are known from the log alone");
    }
    if (checkpoint != null) {
      catalog = Catalog.fromBson(checkpoint.catalog());
      for (int id = 1; id < catalog.nextCollectionId(); id++) {
        dropped.add(id);
      }
      catalog.collections().forEach(info -> dropped.remove(info.id()));
    }
  }

  /** Takes what the checkpoint does not have. */
  private final class CatalogReader implements LogSalvage.Receiver {
    private final long fromLsn;

    CatalogReader(long fromLsn) {
      this.fromLsn = fromLsn;
    }

    @Override
    public void record(long position, long lsn, LogRecord record) {
      if (record.kind() == DataRecord.CATALOG && lsn > fromLsn) {
        BsonDocument change = RawDocument.wrap(record.payload()).toBsonDocument();
        CatalogRecord.apply(catalog, change, lsn);
        if (change.containsKey(CatalogRecord.DROP_COLLECTION)) {
          dropped.add(change.getInt32(CatalogRecord.DROP_COLLECTION).getValue());
        }
      }
    }

    @Override
    public void lost(LogLoss loss) {
      losses.add(loss);
    }
  }

  private final class DocumentReader implements LogSalvage.Receiver {
    @Override
    public void record(long position, long lsn, LogRecord record) {
      boolean isDocument =
          DataRecord.isOfDocument(record.kind())
              && DataRecord.isMetaOfDocument(record.meta().length);
      int id = isDocument ? LittleEndian.int32(record.meta(), 0) : 0;
      if (isDocument && !dropped.contains(id)) {
        collections
            .computeIfAbsent(id, absent -> collection(absent, null))
            .add(position, lsn, record);
      }
    }

    @Override
    public void lost(LogLoss loss) {
      // Told when the catalog was read.
    }
  }

  private SalvagedCollection collection(int id, CollectionInfo info) {
    BsonDocument collation = info == null ? null : info.options().getDocument("collation", null);
    StringOrder strings = collation == null ? StringOrder.UTF8 : hooks.collation(collation);
    return new SalvagedCollection(info, strings, scratch.resolve("" + id));
  }

  private void open(LogSalvage log, CollectionInfo info) {
    dropped.remove(info.id());
    SalvagedCollection collection = collection(info.id(), info);
    collections.put(info.id(), collection);
    if (info.isView()) {
      return;
    }
    for (PartitionMap.Entry entry : info.partitions().entries()) {
      String name = info.id() + "-" + entry.id();
      try {
        Path partition = directory.resolve("partitions").resolve(name);
        FileOwner owner = ownerOfSlots(info.id(), entry.id());
        var slots = SalvagedSlots.open(partition, scratch, owner, stamp(name));
        slots.findLost(position -> log.find(position) != null);
        collection.add(entry.id(), slots);
      } catch (StorageException e) {
        damaged.add(
            what(e)
                + "; documents of "
                + info.namespace()
                + " that were deleted before the log was compacted may be among those copied");
      }
    }
  }

  private FileOwner ownerOfSlots(int collection, int partition) {
    long store = checkpoint == null ? 0 : checkpoint.store();
    return new FileOwner(store, collection, partition, 0, FileOwner.Kind.SLOTS);
  }

  /** The reader of a report has followed the advice already. */
  private static String what(StorageException e) {
    return e.getMessage().replace(Advice.DAMAGED, "");
  }

  private long stamp(String partition) {
    return checkpoint == null
        ? KeyIndex.NEVER
        : checkpoint
            .stamps()
            .getOrDefault(partition, Map.of())
            .getOrDefault(PartitionFiles.SLOTS, KeyIndex.NEVER);
  }

  private void noteSettings() {
    for (BsonValue kind : catalog.toBson().getArray("settings")) {
      var names = new ArrayList<String>();
      for (BsonValue setting : kind.asDocument().getArray("documents")) {
        names.add(setting.asDocument().getString("_id").getValue());
      }
      if (!names.isEmpty()) {
        String what = kind.asDocument().getString("kind").getValue();
        notes.add("not copied, make them anew: " + what + " " + String.join(", ", names));
      }
    }
  }

  private Report write(LogSalvage log, Output output) throws IOException {
    var outcomes = new ArrayList<Outcome>();
    for (Map.Entry<Integer, SalvagedCollection> entry : collections.entrySet()) {
      CollectionInfo info = entry.getValue().info();
      if (info == null) {
        output.begin(entry.getKey());
      } else {
        output.begin(info);
      }
      SalvagedCollection.Count count =
          entry
              .getValue()
              .write(
                  log,
                  document -> {
                    try {
                      output.write(document);
                    } catch (IOException e) {
                      throw new UncheckedIOException(e);
                    }
                  });
      output.end();
      String name = info == null ? "collection " + entry.getKey() : info.namespace().toString();
      outcomes.add(new Outcome(name, count.written, count.older, count.lost));
    }
    losses.forEach(loss -> damaged.add(loss + owner(loss)));
    return new Report(outcomes, List.copyOf(damaged), List.copyOf(notes));
  }

  /** Whose record it was that cannot be read, if that can be told. */
  private String owner(LogLoss loss) {
    if (loss.meta() == null || !DataRecord.isMetaOfDocument(loss.meta().length)) {
      return "";
    }
    SalvagedCollection collection = collections.get(LittleEndian.int32(loss.meta(), 0));
    return collection == null || collection.info() == null
        ? ""
        : ", probably of " + collection.info().namespace();
  }
}
