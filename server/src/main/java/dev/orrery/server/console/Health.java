package dev.orrery.server.console;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether the server lives, and whether it serves. It lives until a part of it has ended without
 * which it is only half alive; it serves when clients can connect, read and write. Thread-safe.
 */
public final class Health {
  /** Where a server is in its life. */
  public enum Phase {
    STARTING,
    SERVING,
    STOPPING
  }

  private volatile Phase phase = Phase.STARTING;
  private volatile Supplier<List<String>> hindrances = List::of;
  private final AtomicReference<@Nullable String> failure = new AtomicReference<>();

  /**
   * Clients are served from now on.
   *
   * @param newHindrances says why one of them would be refused now; empty when none would
   */
  public void serves(Supplier<List<String>> newHindrances) {
    hindrances = newHindrances;
    phase = Phase.SERVING;
  }

  public void stops() {
    phase = Phase.STOPPING;
  }

  /** A part has ended; only a new start helps. The first one is remembered. */
  public void failed(String part) {
    failure.compareAndSet(null, part);
  }

  public Phase phase() {
    return phase;
  }

  /** The part that has ended; null as long as all live. */
  public @Nullable String failure() {
    return failure.get();
  }

  /** Why clients are not served; empty when they are. */
  public List<String> unready() {
    var reasons = new ArrayList<String>();
    String ended = failure.get();
    if (ended != null) {
      reasons.add(ended + " ended: the server has to be started again");
    }
    switch (phase) {
      case STARTING -> reasons.add("the server is starting");
      case STOPPING -> reasons.add("the server is stopping");
      case SERVING -> reasons.addAll(hindrances.get());
    }
    return reasons;
  }
}
