package dev.orrery.language.aggregate.stage;

import dev.orrery.language.expression.Dependencies;
import org.bson.BsonDocument;
import org.bson.BsonInt64;

/** A stage that counts documents without looking at them: {@code $limit} and {@code $skip}. */
public interface CountedStage extends Stage {
  /** How many pass, or do not. */
  long count();

  @Override
  default BsonDocument specification() {
    return new BsonDocument(name(), new BsonInt64(count()));
  }

  @Override
  default boolean addDependencies(Dependencies dependencies) {
    return false;
  }
}
