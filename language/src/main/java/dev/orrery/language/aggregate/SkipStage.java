package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.CountedStage;
import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.aggregate.stage.WholeNumbers;
import dev.orrery.language.error.ErrorCode;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** {@code $skip}: all but the first so many documents. */
record SkipStage(long count) implements CountedStage {
  static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    return List.of(
        new SkipStage(
            WholeNumbers.parseNonNegative(ErrorCode.LOCATION_5107200, "$skip", argument)));
  }

  @Override
  public String name() {
    return "$skip";
  }

  @Override
  public DocumentStream open(DocumentStream input, PipelineRun run) {
    var left = new long[] {count};
    return input.giving(
        () -> {
          BsonDocument next = input.next();
          for (; next != null && left[0] > 0; left[0]--) {
            next = input.next();
          }
          return next;
        });
  }
}
