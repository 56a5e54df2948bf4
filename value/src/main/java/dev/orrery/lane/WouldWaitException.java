package dev.orrery.lane;

/**
 * What an event loop asked for has to wait, so a thread that may wait has to ask for it. Nothing
 * was changed: the whole request can be begun anew.
 */
public final class WouldWaitException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  static final WouldWaitException INSTANCE = new WouldWaitException();

  /** For what is so large that there has to be memory for it first. */
  static final WouldWaitException LARGE_READ = new WouldWaitException();

  /** Without a trace: it is a way of going on, and there is one for all. */
  private WouldWaitException() {
    super("an event loop must not wait", null, false, false);
  }

  /** Whether it is about something large that was to be read. */
  public boolean isForLargeRead() {
    return this == LARGE_READ;
  }
}
