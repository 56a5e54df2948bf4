package dev.orrery.server.operation;

import org.bson.BsonDocument;

/** Is told of every request that ends. */
@FunctionalInterface
public interface OperationListener {
  OperationListener NONE = (operation, reply) -> {};

  /** Called before the reply leaves, on the thread that made it; must be quick. */
  void ended(Operation operation, BsonDocument reply);
}
