package dev.orrery.storage;

import dev.orrery.value.RawDocument;

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

  /**
   * The same for a reader who wants the changes of some documents only: others may come as {@link
   * Change.Unwanted}, and commits of nothing else not at all.
   */
  default Changes after(long time, Interest interest) {
    return after(time);
  }

  /** Which documents somebody wants to hear of. */
  @FunctionalInterface
  interface Interest {
    Interest ALL = (collection, document) -> true;

    /**
     * @param document as it is after the change; of a deletion its partition key and {@code _id}
     */
    boolean isIn(CollectionIdentity collection, RawDocument document);
  }

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
