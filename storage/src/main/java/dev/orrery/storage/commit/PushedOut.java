package dev.orrery.storage.commit;

import dev.orrery.storage.PartitionStatistics;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.catalog.CappedLimits;
import dev.orrery.storage.physical.ChronicleCollection;
import dev.orrery.storage.physical.PendingWrite;
import dev.orrery.storage.physical.PhysicalPartition;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The oldest documents of a capped collection, which go when others come. A capped collection has
 * one partition, whose lock must be held.
 */
final class PushedOut {
  private static final int PAGE_IDS = 64;

  private final ChronicleCollection collection;
  private final CappedLimits limits;
  private final PhysicalPartition partition;
  private long documents;
  private long bytes;
  private long added;
  private final Set<Long> changed = new HashSet<>();

  private PushedOut(ChronicleCollection collection, CappedLimits limits) {
    this.collection = collection;
    this.limits = limits;
    this.partition = collection.physicalPartitions().get(0);
  }

  /** The same writes, and the deletions that they make necessary. */
  static PendingWrite[] with(PendingWrite[] writes, ChronicleCollection capped) {
    var pushedOut = new PushedOut(capped, capped.cappedLimits());
    pushedOut.count(writes);
    List<PendingWrite> deletions = pushedOut.deletions();
    if (deletions.isEmpty()) {
      return writes;
    }
    PendingWrite[] all = Arrays.copyOf(writes, writes.length + deletions.size());
    for (int i = 0; i < deletions.size(); i++) {
      all[writes.length + i] = deletions.get(i);
    }
    return all;
  }

  private void count(PendingWrite[] writes) {
    PartitionStatistics present = partition.files().statistics();
    documents = present.documents();
    bytes = present.bytes();
    for (PendingWrite write : writes) {
      if (write.partition == partition) {
        documents += write.documentsAdded();
        bytes += write.bytesAdded();
        added += write.isInsert() ? 1 : 0;
        if (!write.isInsert()) {
          changed.add(write.recordId);
        }
      }
    }
  }

  /** What comes stays, even if it is too much. */
  private List<PendingWrite> deletions() {
    var deletions = new ArrayList<PendingWrite>();
    long[] ids = new long[PAGE_IDS];
    long last = 0;
    while (documents > added && !limits.allow(documents, bytes)) {
      int count = partition.files().slots().scanUp(last + 1, ids, new long[PAGE_IDS]);
      for (int i = 0; i < count && documents > added && !limits.allow(documents, bytes); i++) {
        add(ids[i], deletions);
      }
      if (count == 0) {
        break;
      }
      last = ids[count - 1];
    }
    return deletions;
  }

  private void add(long recordId, List<PendingWrite> deletions) {
    StoredDocument oldest =
        changed.contains(recordId) ? null : partition.readNow(recordId, new WorkMeter());
    if (oldest != null) {
      deletions.add(collection.prepare(oldest, null));
      documents--;
      bytes -= oldest.document().length();
    }
  }
}
