package dev.orrery.server.operation;

import org.bson.BsonDocument;

/** Is told of every request that ends, before its reply leaves. */
public interface OperationListener {
  OperationListener NONE =
      new OperationListener() {
        @Override
        public boolean ended(Operation operation, long nanos) {
          return false;
        }

        @Override
        public void write(Ended ended, Runnable then) {
          then.run();
        }
      };

  /**
   * A request that ended.
   *
   * @param reply not to be changed before the request is written down
   * @param nanos how long it ran
   */
  record Ended(Operation operation, BsonDocument reply, long nanos) {}

  /** Counts the request; true when it shall be written down. Must be quick. */
  boolean ended(Operation operation, long nanos);

  /**
   * Writes down what the request did, now or later, and then runs {@code then}, once and on any
   * thread, also when that failed. Never blocks: it may be called on an event loop.
   */
  void write(Ended ended, Runnable then);
}
