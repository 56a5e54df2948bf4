package dev.orrery.storage;

/**
 * The commits of an engine as something to be followed, from now on or from a point in the past.
 */
public interface ChangeFeed {
  /**
   * What is committed after that cluster time. Throws {@link StorageException.Reason#LOG_TRIMMED}
   * when some of it is no longer kept, which is so when the time is before {@link #oldest}. A time
   * in the future is waited for.
   */
  Changes after(long time);

  /** All that was committed after this cluster time is kept, at the moment. */
  long oldest();

  /** The cluster time of the last commit, which followers see as soon as it is durable. */
  long newest();

  /**
   * Calls back whenever there is more, on a thread that must neither wait nor commit, until what is
   * returned is closed. Nothing is paid for a feed while nobody listens.
   */
  Subscription listen(Runnable listener);

  /** Ends what it stands for. */
  interface Subscription extends AutoCloseable {
    @Override
    void close();
  }
}
