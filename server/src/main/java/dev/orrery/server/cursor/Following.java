package dev.orrery.server.cursor;

import dev.orrery.value.RawDocument;
import java.util.List;
import java.util.function.LongPredicate;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** What a cursor without end reads: events, each at a place that clients can come back to. */
public interface Following {
  /**
   * The place behind a batch.
   *
   * @param last the last event of the batch, or null when it was empty
   * @param isDrained whether there was nothing more to be had
   */
  BsonDocument placeAfter(@Nullable RawDocument last, boolean isDrained);

  /**
   * A batch as clients get it.
   *
   * @param place behind it
   */
  default List<RawDocument> page(List<RawDocument> batch, BsonDocument place) {
    return batch;
  }

  /**
   * Names whom to ask before an event is made of a large document: so many bytes; when there is no
   * room for it, there is no event yet.
   */
  void askBeforeLarge(LongPredicate hasRoom);

  /** Whether the last reading ended for want of memory. */
  boolean lacksRoom();

  /** Whether there will never be more. */
  boolean isOver();

  /** Listens from now on; to be called before the reading after which one may have to wait. */
  Ring listen();

  /** Tells once that there may be more. */
  interface Ring {
    /**
     * Waits without a thread, and runs one of the two on a thread of its own kind.
     *
     * @param rung at once if there was something since it listens
     * @param late when the time is over; it goes on listening, and can be awaited again
     */
    void await(long millis, Runnable rung, Runnable late);

    /** Listens no longer. */
    void cancel();
  }
}
