package dev.orrery.storage.physical;

import dev.orrery.storage.RecordCursor;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Documents of a partition by record id. Record ids survive a split, so after one the scan goes on
 * behind the same id in each child; after a merge it goes on behind the record's new id, and passes
 * over what came from the other partition.
 */
final class PartitionScan implements RecordCursor {
  private final boolean isReverse;
  private final ArrayDeque<Source> sources = new ArrayDeque<>();

  /** A partition, the record id that was returned last from it, and the ids that come next. */
  private static final class Source {
    private static final int PAGE_IDS = 64;

    final PhysicalPartition partition;
    final Lineage lineage;
    final long[] ids = new long[PAGE_IDS];
    final long[] positions = new long[PAGE_IDS];
    int count;
    int used;
    long last;

    Source(PhysicalPartition partition, Lineage lineage, long last) {
      this.partition = partition;
      this.lineage = lineage;
      this.last = last;
    }
  }

  private PartitionScan(PhysicalPartition partition, long last, boolean isReverse) {
    this.isReverse = isReverse;
    sources.add(new Source(partition, Lineage.NONE, last));
  }

  static PartitionScan forward(PhysicalPartition partition) {
    return new PartitionScan(partition, 0, false);
  }

  static PartitionScan backward(PhysicalPartition partition) {
    return new PartitionScan(partition, Long.MAX_VALUE, true);
  }

  @Override
  public CompletionStage<Boolean> load(WorkMeter meter) {
    return LocalPartition.NO; // all is at hand
  }

  @Override
  public @Nullable StoredDocument next(WorkMeter meter) {
    while (!sources.isEmpty()) {
      Source source = sources.peek();
      List<Successor> successors = source.partition.successors();
      if (successors != null) {
        sources.remove();
        for (int i = successors.size() - 1; i >= 0; i--) {
          sources.push(follow(source, successors.get(i)));
        }
        continue;
      }
      if (source.partition.isDropped()) {
        sources.remove();
        continue;
      }
      StoredDocument document = advance(source, meter);
      if (document != null) {
        return document;
      }
      if (source.partition.isDropped() || source.partition.isRetired()) {
        continue; // split, merged or dropped under our feet
      }
      if (sources.size() == 1) {
        return null; // kept: a tailing reader asks again
      }
      sources.remove();
    }
    return null;
  }

  private static Source follow(Source source, Successor successor) {
    return new Source(
        successor.partition(), source.lineage.then(successor), successor.recordId(source.last));
  }

  private StoredDocument advance(Source source, WorkMeter meter) {
    while (source.used < source.count || fill(source)) {
      source.last = source.ids[source.used++];
      StoredDocument document = source.partition.readNow(source.last, meter);
      if (document != null && source.lineage.isOwn(document.document())) {
        return document;
      }
    }
    return null;
  }

  private boolean fill(Source source) {
    source.used = 0;
    source.count = 0;
    if (!source.partition.tryEnter()) {
      return false;
    }
    var slots = source.partition.files().slots();
    try {
      source.count =
          isReverse
              ? slots.scanDown(source.last - 1, source.ids, source.positions)
              : slots.scanUp(source.last + 1, source.ids, source.positions);
    } finally {
      source.partition.leave();
    }
    return source.count > 0;
  }
}
