package dev.orrery.storage.physical;

import dev.orrery.storage.RecordCursor;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.structure.PartitionFiles;
import java.util.Arrays;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** The documents of a partition at a point, by record id. */
final class PinnedScan implements RecordCursor {
  private static final int PAGE_IDS = 64;

  private final PinnedPartition partition;
  private final boolean isReverse;
  private long[] ids = {};
  private int used;
  private long last;
  private boolean isExhausted;

  PinnedScan(PinnedPartition partition, boolean isReverse) {
    this.partition = partition;
    this.last = isReverse ? Long.MAX_VALUE : 0;
    this.isReverse = isReverse;
  }

  @Override
  public CompletionStage<Boolean> load(WorkMeter meter) {
    return LocalPartition.NO; // all is at hand
  }

  @Override
  public @Nullable StoredDocument next(WorkMeter meter) {
    while (used < ids.length || fill()) {
      StoredDocument document = partition.readNow(ids[used++], meter);
      if (document != null) {
        return document;
      }
    }
    return null;
  }

  private boolean fill() {
    if (isExhausted) {
      return false;
    }
    long[] present = new long[PAGE_IDS];
    PartitionFiles files = partition.enter();
    int count;
    try {
      count =
          isReverse
              ? files.slots().scanDown(last - 1, present, new long[PAGE_IDS])
              : files.slots().scanUp(last + 1, present, new long[PAGE_IDS]);
    } finally {
      partition.leave();
    }
    isExhausted = count < PAGE_IDS;
    long end = isReverse ? 0 : Long.MAX_VALUE;
    ids = withDeleted(Arrays.copyOf(present, count), isExhausted ? end : present[count - 1]);
    used = 0;
    last = ids.length == 0 ? last : ids[ids.length - 1];
    return ids.length > 0;
  }

  /** Adds the records that were deleted since the point, from the last one to an id. */
  private long[] withDeleted(long[] present, long end) {
    History history = partition.history();
    if (history == null) {
      return present;
    }
    LongStream deleted =
        isReverse
            ? history.records(end, last, partition.point())
            : history.records(last, end, partition.point());
    long[] sorted =
        LongStream.concat(LongStream.of(present), deleted).distinct().sorted().toArray();
    return isReverse ? reversed(sorted) : sorted;
  }

  private static long[] reversed(long[] sorted) {
    return LongStream.range(0, sorted.length)
        .map(i -> sorted[sorted.length - 1 - (int) i])
        .toArray();
  }
}
