package dev.orrery.server.cursor;

import dev.orrery.server.plan.DocumentCursor;
import dev.orrery.server.plan.Execution;
import dev.orrery.server.plan.PlanResult;
import dev.orrery.storage.Namespace;
import dev.orrery.storage.value.RawDocument;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Results that a client fetches batch by batch. Used by one request at a time; the registry sees to
 * that.
 */
public final class ClientCursor implements AutoCloseable {
  /** What fits into one reply besides its envelope. */
  public static final int BATCH_BYTES_MAX = 16 << 20;

  /** Who opened it and on what, as getMore checks it. */
  public record Owner(Namespace namespace, @Nullable Object session, boolean hasNoTimeout) {}

  private final Owner owner;
  private final DocumentCursor results;
  private final Execution execution;
  private @Nullable RawDocument pending;
  private boolean isExhausted;

  public ClientCursor(Owner owner, DocumentCursor results, Execution execution) {
    this.owner = owner;
    this.results = results;
    this.execution = execution;
  }

  public Owner owner() {
    return owner;
  }

  public Execution execution() {
    return execution;
  }

  /** Whether the last batch was the last of all. */
  public boolean isExhausted() {
    return isExhausted;
  }

  /**
   * The next results: at most {@code count}, and at most what fits into a reply. A single document
   * always fits.
   */
  public List<RawDocument> nextBatch(long count) {
    var batch = new ArrayList<RawDocument>();
    long bytes = 0;
    while (batch.size() < count) {
      RawDocument next = pending != null ? pending : read();
      pending = null;
      if (next == null) {
        isExhausted = true;
        break;
      }
      bytes += next.length();
      if (bytes > BATCH_BYTES_MAX && !batch.isEmpty()) {
        pending = next;
        break;
      }
      batch.add(next);
    }
    return batch;
  }

  private @Nullable RawDocument read() {
    PlanResult result = results.next();
    return result == null ? null : result.document();
  }

  @Override
  public void close() {
    results.close();
  }
}
