package dev.orrery.storage.structure;

import dev.orrery.storage.StorageException;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.index.SlotFile;
import dev.orrery.storage.log.Log;
import dev.orrery.storage.log.LogRecord;
import dev.orrery.value.RawDocument;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares structures of a partition that have all that the log has. The counts take no time; to
 * compare all documents takes reading them, and is done once for stores of older versions.
 */
final class PartitionComparison {
  private static final Logger LOGGER = LoggerFactory.getLogger(PartitionComparison.class);
  private static final int PAGE_IDS = 256;

  private final PartitionFiles files;
  private final Log log;
  private final PrimaryKeys keys;
  private final BiPredicate<DataRecord, PrimaryKey> isOurs;
  private final Map<String, String> faults = new TreeMap<>();

  /**
   * @param isOurs whether a record can be in a slot of this partition
   */
  PartitionComparison(
      PartitionFiles files, Log log, PrimaryKeys keys, BiPredicate<DataRecord, PrimaryKey> isOurs) {
    this.files = files;
    this.log = log;
    this.keys = keys;
    this.isOurs = isOurs;
  }

  /** By the name of the structure, how it differs. */
  Map<String, String> counts() {
    long documents = files.slots().count();
    if (files.ids().size() != documents) {
      disagree(PartitionFiles.IDS, files.ids().size(), documents);
      if (files.ids().size() > documents || log.isComplete()) { // who is right is in the log
        disagree(PartitionFiles.SLOTS, documents, files.ids().size());
      }
    }
    for (OrderedIndex index : files.indexes()) {
      long entries = index.tree().count();
      String tree = PartitionFiles.INDEX + index.entry().id();
      if (index.unique() != null && index.unique().size() != entries) {
        disagree(tree, entries, index.unique().size());
        disagree(PartitionFiles.UNIQUE + index.entry().id(), index.unique().size(), entries);
      }
      boolean hasAll =
          index.spec().name().equals(PartitionOpener.ID_INDEX)
              || index.entry().id() == CollectionInfo.KEY_INDEX_ID;
      boolean isOneEach = hasAll && index.fieldsSeen().multikeyFields() == 0;
      if (isOneEach && entries != documents) {
        disagree(tree, entries, documents);
      }
    }
    return faults;
  }

  private void disagree(String name, long found, long expected) {
    faults.putIfAbsent(name, "it has " + found + " entries where there should be " + expected);
  }

  /** The same, and every document against every structure, if they can be read. */
  Map<String, String> documents() {
    try {
      compareDocuments();
    } catch (StorageException e) {
      if (e.reason() == StorageException.Reason.LOG_TRIMMED) {
        distrustAll(e.getMessage());
        return faults;
      }
      if (e.reason() != StorageException.Reason.CORRUPT) {
        throw e;
      }
      LOGGER.warn("the structures of a partition could not be compared: {}", e.getMessage());
      faults.clear(); // what would be made of these documents would be no better
    }
    return faults.containsKey(PartitionFiles.SLOTS) ? faults : counts();
  }

  private void compareDocuments() {
    var sizes = new HashMap<ByteBuffer, long[]>();
    long[] entries = new long[files.indexes().length];
    forEach(
        files.slots(),
        (recordId, position) -> {
          LogRecord record = log.read(position);
          RawDocument document = RawDocument.wrap(record.payload());
          PrimaryKey key = keys.of(document);
          if (!isOurs.test(DataRecord.of(record.meta(), 0), key)) {
            distrustAll("the slots have documents of other partitions");
          }
          require(files.ids().find(key.bytes()) == recordId, PartitionFiles.IDS);
          if (files.sizes() != null) {
            var pair =
                sizes.computeIfAbsent(ByteBuffer.wrap(key.logicalKey()), none -> new long[2]);
            pair[0] += document.length();
            pair[1]++;
          }
          for (int i = 0; i < entries.length; i++) {
            entries[i] += compare(files.indexes()[i], key, recordId, document);
          }
        });
    for (int i = 0; i < entries.length; i++) {
      OrderedIndex index = files.indexes()[i];
      require(index.tree().count() == entries[i], PartitionFiles.INDEX + index.entry().id());
      if (index.unique() != null) {
        require(index.unique().size() == entries[i], PartitionFiles.UNIQUE + index.entry().id());
      }
    }
    if (files.sizes() != null) {
      compare(sizes);
    }
  }

  /**
   * The slots are not ours, and what was made of them too, but for the ids, without which a log
   * that is not whole would not tell which documents there are.
   */
  private void distrustAll(String reason) {
    for (String name : files.structures()) {
      if (!name.equals(PartitionFiles.IDS) || log.isComplete()) {
        faults.putIfAbsent(name, reason);
      }
    }
  }

  /** Visits every record; the slots must not change meanwhile. */
  static void forEach(SlotFile slots, Visitor visitor) {
    long[] ids = new long[PAGE_IDS];
    long[] positions = new long[PAGE_IDS];
    long from = 1;
    for (int n = slots.scanUp(from, ids, positions);
        n > 0;
        n = slots.scanUp(from, ids, positions)) {
      for (int i = 0; i < n; i++) {
        visitor.visit(ids[i], positions[i]);
      }
      from = ids[n - 1] + 1;
    }
  }

  /** Gets a record and where it lies. */
  interface Visitor {
    void visit(long recordId, long position);
  }

  private int compare(OrderedIndex index, PrimaryKey key, long recordId, RawDocument document) {
    var all = index.keysOf(document);
    for (byte[] one : all) {
      require(index.tree().contains(one, recordId), PartitionFiles.INDEX + index.entry().id());
      if (index.unique() != null) {
        byte[] unique = PrimaryKeys.uniqueKey(key.logicalKey(), one);
        require(
            index.unique().find(unique) == recordId, PartitionFiles.UNIQUE + index.entry().id());
      }
    }
    return all.size();
  }

  private void compare(Map<ByteBuffer, long[]> sizes) {
    require(files.sizes().size() == sizes.size(), PartitionFiles.SIZES);
    long[] found = new long[2];
    sizes.forEach(
        (key, pair) -> {
          boolean isThere = files.sizes().get(key.array(), found);
          require(isThere && found[0] == pair[0] && found[1] == pair[1], PartitionFiles.SIZES);
        });
  }

  private void require(boolean isRight, String name) {
    if (!isRight) {
      faults.putIfAbsent(name, "it is not what the documents say");
    }
  }
}
