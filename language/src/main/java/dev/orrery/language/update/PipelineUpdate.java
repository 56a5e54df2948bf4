package dev.orrery.language.update;

import dev.orrery.lane.Lane;
import dev.orrery.language.aggregate.Pipeline;
import dev.orrery.language.aggregate.UpdatePipeline;
import dev.orrery.language.limit.Allowance;
import dev.orrery.language.limit.DecodedSize;
import dev.orrery.value.RawDocument;
import org.bson.BsonArray;
import org.bson.BsonDocument;

/** An update by aggregation stages: the document they give replaces the one they got. */
final class PipelineUpdate extends Update {
  private final UpdatePipeline pipeline;

  private PipelineUpdate(UpdatePipeline pipeline) {
    this.pipeline = pipeline;
  }

  static void requireForm(BsonArray stages) {
    UpdatePipeline.requireForm(Pipeline.documents(stages));
  }

  static PipelineUpdate parse(BsonArray stages, UpdateOptions options) {
    Lane.requireMayWait(); // expressions may take their time
    var context = options.expressions();
    if (options.constants() != null) {
      for (var constant : options.constants().entrySet()) {
        context = context.withConstant(constant.getKey(), constant.getValue());
      }
    }
    return new PipelineUpdate(UpdatePipeline.parse(Pipeline.documents(stages), context));
  }

  @Override
  public Result apply(RawDocument before, int arrayIndex, UpdateClock clock) {
    Allowance allowance = Allowance.current();
    long held = DecodedSize.hold(before, allowance);
    try {
      Result after = Replacement.apply(before, pipeline.apply(before.toBsonDocument()), true);
      return after.isModified()
          ? new Result(after.document(), true, DocumentDifference.of(before, after.document()))
          : after;
    } finally {
      allowance.release(held);
    }
  }

  @Override
  BsonDocument inserted(BsonDocument start, UpdateClock clock) {
    return Replacement.inserted(start, pipeline.apply(start));
  }
}
