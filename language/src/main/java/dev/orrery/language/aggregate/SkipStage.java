package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.aggregate.stage.WholeNumbers;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Dependencies;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $skip}: all but the first so many documents. */
record SkipStage(long skip) implements Stage {
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
  public BsonDocument specification() {
    return new BsonDocument("$skip", new BsonInt64(skip));
  }

  @Override
  public boolean addDependencies(Dependencies dependencies) {
    return false;
  }

  @Override
  public DocumentStream open(DocumentStream input, PipelineRun run) {
    return new DocumentStream() {
      private long skipped;

      @Override
      public @Nullable BsonDocument next() {
        for (; skipped < skip; skipped++) {
          if (input.next() == null) {
            return null;
          }
        }
        return input.next();
      }

      @Override
      public void close() {
        input.close();
      }
    };
  }
}
