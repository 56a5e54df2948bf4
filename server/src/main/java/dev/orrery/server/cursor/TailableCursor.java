package dev.orrery.server.cursor;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.MatchDetails;
import dev.orrery.language.query.Projection;
import dev.orrery.server.plan.DocumentCursor;
import dev.orrery.server.plan.Execution;
import dev.orrery.server.plan.PlanResult;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.RecordCursor;
import dev.orrery.storage.StoredDocument;
import dev.orrery.value.RawDocument;
import org.jspecify.annotations.Nullable;

/**
 * The documents of a capped collection in the order they came, and after the last one, when it is
 * asked again, those that came since. A capped collection has one partition.
 */
public final class TailableCursor implements DocumentCursor {
  private static final long NONE = -1;

  private final Filter filter;
  private final @Nullable Projection projection;
  private final Execution execution;
  private final RecordCursor records;
  private final MatchDetails details = new MatchDetails();
  private final PartitionStore partition;
  private long lastRecordId = NONE;
  private boolean isAtEnd;

  public TailableCursor(
      CollectionStore collection,
      Filter filter,
      @Nullable Projection projection,
      Execution execution) {
    this.filter = filter;
    this.projection = projection;
    this.execution = execution;
    this.partition = collection.partitions().get(0);
    this.records = partition.scan(false);
  }

  /** False while the collection was empty whenever it was read. */
  public boolean hasSeenRecords() {
    return lastRecordId != NONE;
  }

  /** What came after the last record that was seen may be gone, too, if that one is. */
  @Override
  public void resume() {
    if (lastRecordId == NONE
        || execution.await(partition.read(lastRecordId, execution.meter())) != null) {
      return;
    }
    throw new CommandException(
        ErrorCode.CAPPED_POSITION_LOST,
        "CollectionScan died due to %s. Last seen record id: RecordId(%d)"
            .formatted(
                isAtEnd
                    ? "failure to restore tailable cursor position"
                    : "position in capped collection being deleted",
                lastRecordId));
  }

  @Override
  public @Nullable PlanResult next() {
    for (; ; ) {
      StoredDocument record = records.next(execution.meter());
      while (record == null && execution.await(records.load(execution.meter()))) {
        record = records.next(execution.meter());
      }
      isAtEnd = record == null;
      if (record == null) {
        return null;
      }
      lastRecordId = record.recordId();
      details.reset();
      if (filter.matches(record.document(), details)) {
        RawDocument output =
            projection == null ? record.document() : projection.apply(record.document());
        return new PlanResult(output, record, details.arrayIndex());
      }
    }
  }

  @Override
  public void close() {}
}
