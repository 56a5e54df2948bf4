package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.Sorter;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.number.Numbers;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $sample}: so many documents by chance, each with the same, in random order. */
record SampleStage(long size) implements Stage {
  private static final int KEY_BYTES = 8;

  static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    if (!argument.isDocument()) {
      throw new CommandException(
          ErrorCode.LOCATION_28745, "the $sample stage specification must be an object");
    }
    Long size = null;
    for (var option : argument.asDocument().entrySet()) {
      if (!option.getKey().equals("size")) {
        throw new CommandException(
            ErrorCode.LOCATION_28748, "unrecognized option to $sample: " + option.getKey());
      }
      if (!Numbers.isNumber(option.getValue())) {
        throw new CommandException(
            ErrorCode.LOCATION_28746, "size argument to $sample must be a number");
      }
      size = Numbers.toLong(option.getValue());
      if (size < 0) {
        throw new CommandException(
            ErrorCode.LOCATION_28747, "size argument to $sample must not be negative");
      }
    }
    if (size == null) {
      throw new CommandException(ErrorCode.LOCATION_28749, "$sample stage must specify a size");
    }
    return List.of(new SampleStage(size));
  }

  @Override
  public String name() {
    return "$sample";
  }

  @Override
  public BsonDocument specification() {
    return new BsonDocument("$sample", new BsonDocument("size", new BsonInt64(size)));
  }

  @Override
  public boolean addDependencies(Dependencies dependencies) {
    return false;
  }

  /** Sorts by random numbers and takes the first, as MongoDB does: what is large goes to disk. */
  @Override
  public DocumentStream open(DocumentStream input, PipelineRun run) {
    return new DocumentStream() {
      private @Nullable Sorter sorter;

      @Override
      public @Nullable BsonDocument next() {
        if (size == 0) {
          return null;
        }
        if (sorter == null) {
          sorter = new Sorter(run.spill(), size);
          for (BsonDocument one = input.next(); one != null; one = input.next()) {
            sorter.add(randomKey(), one);
          }
          sorter.finish();
        }
        return sorter.next();
      }

      @Override
      public void close() {
        if (sorter != null) {
          sorter.close();
        }
        input.close();
      }
    };
  }

  private static byte[] randomKey() {
    byte[] key = new byte[KEY_BYTES];
    ThreadLocalRandom.current().nextBytes(key);
    return key;
  }
}
