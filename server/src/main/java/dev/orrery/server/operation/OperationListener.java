package dev.orrery.server.operation;

import org.bson.BsonDocument;

/** Is told of every request that ends, before its reply leaves, on the thread that made it. */
public interface OperationListener {
  OperationListener NONE =
      new OperationListener() {
        @Override
        public boolean ended(Operation operation, long nanos) {
          return false;
        }

        @Override
        public void write(Operation operation, BsonDocument reply) {}
      };

  /**
   * Counts the request; true when it shall be written down. Must be quick.
   *
   * @param nanos how long it ran
   */
  boolean ended(Operation operation, long nanos);

  /** Writes down what the request did. */
  void write(Operation operation, BsonDocument reply);
}
