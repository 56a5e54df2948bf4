package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * {@code $_internalPackBuckets}: measurements of a time series, which come sorted by meta value and
 * time, as the buckets in which MongoDB keeps them.
 *
 * @param time the name of the field with the time
 * @param meta the name of the field that measurements of one bucket share; null if there is none
 * @param spanMillis how far the times of one bucket are apart at the most
 * @param roundingMillis what the first time of a bucket is rounded down to
 */
record PackBucketsStage(
    String time,
    @Nullable String meta,
    long spanMillis,
    long roundingMillis,
    BsonDocument specification)
    implements Stage {
  static final String NAME = "$_internalPackBuckets";

  static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    BsonDocument options = argument.isDocument() ? argument.asDocument() : new BsonDocument();
    if (!options.isString("timeField")
        || !isPositive(options, "spanSeconds")
        || !isPositive(options, "roundingSeconds")) {
      throw new CommandException(
          ErrorCode.FAILED_TO_PARSE, NAME + " needs timeField, spanSeconds and roundingSeconds");
    }
    BsonString meta = options.getString("metaField", null);
    return List.of(
        new PackBucketsStage(
            options.getString("timeField").getValue(),
            meta == null ? null : meta.getValue(),
            TimeUnit.SECONDS.toMillis(options.getNumber("spanSeconds").longValue()),
            TimeUnit.SECONDS.toMillis(options.getNumber("roundingSeconds").longValue()),
            new BsonDocument(NAME, options)));
  }

  private static boolean isPositive(BsonDocument options, String field) {
    return options.isNumber(field) && options.getNumber(field).longValue() > 0;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public DocumentStream open(DocumentStream input, PipelineRun run) {
    return new DocumentStream() {
      private boolean isStarted;
      private @Nullable BsonDocument ahead;

      @Override
      public @Nullable BsonDocument next() {
        if (!isStarted) {
          isStarted = true;
          ahead = input.next();
        }
        if (ahead == null) {
          return null;
        }
        var bucket = new MeasurementBucket(PackBucketsStage.this, ahead);
        for (ahead = input.next(); ahead != null && bucket.takes(ahead); ahead = input.next()) {
          bucket.add(ahead);
        }
        return bucket.toBson();
      }

      @Override
      public void close() {
        input.close();
      }
    };
  }
}
