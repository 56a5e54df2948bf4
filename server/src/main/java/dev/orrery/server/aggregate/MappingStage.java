package dev.orrery.server.aggregate;

import dev.orrery.server.expression.Scope;
import org.bson.BsonDocument;

/** A stage that makes one document of each that comes, without a look at others. */
interface MappingStage extends Stage {
  /** What becomes of a document, which stays as it is; the scope holds the variables. */
  BsonDocument map(BsonDocument document, Scope scope);

  @Override
  default boolean isPerDocument() {
    return true;
  }

  @Override
  default DocumentStream open(DocumentStream input, Run run) {
    return new Transformed(input, document -> map(document, run.scope()));
  }
}
