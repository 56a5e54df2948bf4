package dev.orrery.server.plan;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.expiry.LastModified;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.StorageException;
import org.jspecify.annotations.Nullable;

/**
 * The results of a plan. A collection that is dropped before the first of them has none; later, the
 * others are missing, and the plan has failed.
 */
final class PlanCursor implements DocumentCursor {
  private final CollectionStore collection;
  private final RowCursor rows;
  private final boolean hidesLastChange;
  private boolean hasBegun;

  /**
   * @param hidesLastChange whether documents may have a field that no client sees
   */
  PlanCursor(CollectionStore collection, RowCursor rows, boolean hidesLastChange) {
    this.collection = collection;
    this.rows = rows;
    this.hidesLastChange = hidesLastChange;
  }

  @Override
  public @Nullable PlanResult next() {
    Row row;
    try {
      row = rows.next();
    } catch (StorageException e) {
      if (e.reason() != StorageException.Reason.COLLECTION_DROPPED) {
        throw e;
      }
      row = null;
    }
    if (row == null) {
      requireComplete();
      return null;
    }
    hasBegun = true;
    return hidesLastChange && row.document() != null
        ? row.withDocument(LastModified.hide(row.document())).toResult()
        : row.toResult();
  }

  private void requireComplete() {
    if (hasBegun && !collection.exists()) {
      throw new CommandException(
          ErrorCode.QUERY_PLAN_KILLED, "collection dropped. UUID " + collection.info().uuid());
    }
  }

  @Override
  public void close() {
    rows.close();
  }
}
