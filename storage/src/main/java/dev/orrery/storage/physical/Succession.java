package dev.orrery.storage.physical;

import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.value.BsonEncoder;
import java.util.List;

/**
 * Who took over from a partition after a split or a merge. A reader that was routed before finds
 * the document where it is now.
 */
final class Succession {
  private final PhysicalPartition partition;
  private volatile List<Successor> successors;

  Succession(PhysicalPartition partition) {
    this.partition = partition;
  }

  void begin(List<Successor> to) {
    successors = List.copyOf(to);
  }

  /** Null while the partition serves. */
  List<Successor> all() {
    return successors;
  }

  /** Those who have the documents now; throws without any. */
  List<Successor> require() {
    List<Successor> present = successors;
    if (present == null) {
      throw partition.gone();
    }
    return present;
  }

  /** The same; nobody has them after a drop. */
  private List<Successor> allOrNone() {
    List<Successor> present = successors;
    if (present == null && !partition.isDropped()) {
      throw partition.gone(); // closed: nobody knows whether there is such a document
    }
    return present == null ? List.of() : present;
  }

  StoredDocument find(byte[] primaryKey, WorkMeter meter) {
    for (Successor successor : allOrNone()) {
      StoredDocument found = successor.partition().findNow(primaryKey, meter);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  boolean copy(byte[] primaryKey, BsonEncoder out, WorkMeter meter) {
    for (Successor successor : allOrNone()) {
      if (successor.partition().copyNow(primaryKey, out, meter)) {
        return true;
      }
    }
    return false;
  }

  StoredDocument read(long recordId, WorkMeter meter) {
    for (Successor successor : allOrNone()) {
      StoredDocument found = successor.partition().readNow(successor.recordId(recordId), meter);
      if (found != null) {
        return found;
      }
    }
    return null;
  }
}
