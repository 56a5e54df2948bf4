package dev.orrery.storage.unkind;

import dev.orrery.storage.RecordCursor;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import java.util.ArrayDeque;
import java.util.NavigableMap;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Documents of a partition in the order in which they came, by pages. */
final class UnkindScan implements RecordCursor {
  private static final int PAGE_MAX = 9;

  private final UnkindPartition partition;
  private final boolean isReverse;
  private final Queue<StoredDocument> documents = new ArrayDeque<>();
  private long last;

  UnkindScan(UnkindPartition partition, boolean isReverse) {
    this.partition = partition;
    this.isReverse = isReverse;
    this.last = isReverse ? Long.MAX_VALUE : Long.MIN_VALUE;
  }

  @Override
  public @Nullable StoredDocument next(WorkMeter meter) {
    return documents.poll();
  }

  @Override
  public CompletionStage<Boolean> load(WorkMeter meter) {
    return partition.world().ask(() -> partition.isThere() && fill(meter));
  }

  private boolean fill(WorkMeter meter) {
    int size = 1 + partition.world().nextInt(PAGE_MAX);
    NavigableMap<Long, UnkindRecord> all = partition.collection.inOrder;
    var rest = isReverse ? all.headMap(last, false).descendingMap() : all.tailMap(last, false);
    for (UnkindRecord record : rest.values()) {
      if (documents.size() == size) {
        break;
      }
      last = record.order;
      if (partition.owns(record) && record.at(partition.sequence) != null) {
        documents.add(partition.seen(record, meter));
      }
    }
    return !documents.isEmpty();
  }
}
