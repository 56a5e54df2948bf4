package dev.orrery.language.aggregate.window;

import dev.orrery.language.expression.Dependencies;
import org.bson.BsonValue;

/** A function of $setWindowFields: immutable. */
interface WindowFunction {
  /** Its values for the documents of one partition. */
  interface Values {
    /** The value for the document at that place; asked for one place after the other. */
    BsonValue at(int place);

    /** Roughly how much memory it takes that it remembers. */
    default long heapBytes() {
      return 0;
    }
  }

  Values open(WindowPartition partition);

  /** The same with its constants computed. */
  default WindowFunction optimize() {
    return this;
  }

  void addDependencies(Dependencies dependencies);
}
