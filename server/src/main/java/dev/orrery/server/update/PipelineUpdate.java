package dev.orrery.server.update;

import dev.orrery.storage.value.RawDocument;
import java.util.function.UnaryOperator;
import org.bson.BsonDocument;

/** An update by aggregation stages: the document they give replaces the one they got. */
final class PipelineUpdate extends Update {
  private final UnaryOperator<BsonDocument> pipeline;

  PipelineUpdate(UnaryOperator<BsonDocument> pipeline) {
    this.pipeline = pipeline;
  }

  @Override
  public boolean isPositional() {
    return false;
  }

  @Override
  boolean keepsFilterFields() {
    return true;
  }

  @Override
  boolean edit(Edit edit, RawDocument before) {
    return Replacement.apply(edit, before, pipeline.apply(before.toBsonDocument()), true);
  }
}
