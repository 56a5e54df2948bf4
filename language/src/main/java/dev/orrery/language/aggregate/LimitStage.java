package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.CountedStage;
import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.aggregate.stage.WholeNumbers;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.List;
import org.bson.BsonValue;

/** {@code $limit}: no more than so many documents. */
record LimitStage(long count) implements CountedStage {
  static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    long limit = WholeNumbers.parseNonNegative(ErrorCode.LOCATION_5107201, "$limit", argument);
    if (limit == 0) {
      throw new CommandException(ErrorCode.LOCATION_15958, "the limit must be positive");
    }
    return List.of(new LimitStage(limit));
  }

  @Override
  public String name() {
    return "$limit";
  }

  @Override
  public DocumentStream open(DocumentStream input, PipelineRun run) {
    var left = new long[] {count};
    return input.giving(() -> left[0]-- > 0 ? input.next() : null);
  }
}
