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
  public Result apply(RawDocument before, int arrayIndex, UpdateClock clock) {
    return Replacement.apply(before, pipeline.apply(before.toBsonDocument()), true);
  }

  @Override
  BsonDocument inserted(BsonDocument start, UpdateClock clock) {
    return Replacement.inserted(start, pipeline.apply(start));
  }
}
