package dev.orrery.server.session;

import dev.orrery.storage.View;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;

/**
 * The points at which sessions read outside of transactions. A point is kept for a while after it
 * was asked for, as the client comes back to it by its cluster time, and its cursors go on there.
 */
public final class Snapshots {
  /** MongoDB's default for its parameter minSnapshotHistoryWindowInSeconds. */
  private static final long WINDOW_NANOS = 300_000_000_000L;

  /** A point that is kept, and when it was used last. */
  private static final class Kept {
    final View view;
    long usedNanos;

    Kept(View view) {
      this.view = view;
    }
  }

  private final LongFunction<View> pin;
  private final LongSupplier nanoClock;
  private final Map<Long, Kept> byTime = new HashMap<>();

  /**
   * @param pin the state at a cluster time, or with 0 of now; see StorageEngine
   */
  public Snapshots(LongFunction<View> pin, LongSupplier nanoClock) {
    this.pin = pin;
    this.nanoClock = nanoClock;
  }

  /** The state at a cluster time; with 0 the present one, which then has a time. Waits. */
  public synchronized View at(long time) {
    Kept kept = time == 0 ? null : byTime.get(time);
    if (kept == null) {
      View view = pin.apply(time);
      kept = byTime.computeIfAbsent(time == 0 ? view.time() : time, absent -> new Kept(view));
      if (kept.view != view) {
        view.close();
      }
    }
    kept.usedNanos = nanoClock.getAsLong();
    return kept.view;
  }

  /** Gives up what nobody asked for lately; to be called now and then. */
  public synchronized void expire() {
    long now = nanoClock.getAsLong();
    byTime
        .values()
        .removeIf(
            kept -> {
              boolean isOld = now - kept.usedNanos > WINDOW_NANOS;
              if (isOld) {
                kept.view.close();
              }
              return isOld;
            });
  }
}
