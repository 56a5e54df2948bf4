package dev.orrery.language.aggregate.stage;

import dev.orrery.language.expression.Scope;
import org.bson.BsonDocument;

/** A stage that makes one document of each that comes, without a look at others. */
public interface MappingStage extends Stage {
  /** What becomes of a document, which stays as it is; the scope holds the variables. */
  BsonDocument map(BsonDocument document, Scope scope);

  @Override
  default boolean isPerDocument() {
    return true;
  }

  @Override
  default DocumentStream open(DocumentStream input, PipelineRun run) {
    return new Transformed(input, document -> map(document, run.scope()));
  }
}
