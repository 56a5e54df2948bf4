package dev.orrery.server.aggregate;

import dev.orrery.server.expression.Dependencies;
import org.bson.BsonValue;

/** A function of $setWindowFields: immutable. */
interface WindowFunction {
  /** Its value for every document of a partition. */
  BsonValue[] compute(WindowPartition partition);

  /** The same with its constants computed. */
  default WindowFunction optimize() {
    return this;
  }

  void addDependencies(Dependencies dependencies);
}
