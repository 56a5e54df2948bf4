package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.aggregate.stage.WholeNumbers;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Dependencies;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $limit}: no more than so many documents. */
record LimitStage(long limit) implements Stage {
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
  public BsonDocument specification() {
    return new BsonDocument("$limit", new BsonInt64(limit));
  }

  @Override
  public boolean addDependencies(Dependencies dependencies) {
    return false;
  }

  @Override
  public DocumentStream open(DocumentStream input, PipelineRun run) {
    return new DocumentStream() {
      private long passed;

      @Override
      public @Nullable BsonDocument next() {
        return passed++ < limit ? input.next() : null;
      }

      @Override
      public void close() {
        input.close();
      }
    };
  }
}
