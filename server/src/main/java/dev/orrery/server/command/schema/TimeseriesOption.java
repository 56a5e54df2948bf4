package dev.orrery.server.command.schema;

import dev.orrery.language.number.Numbers;
import dev.orrery.server.command.CommandReader;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/**
 * The {@code timeseries} of create, completed. The measurements are kept one by one as they come;
 * only the options are those of MongoDB's buckets.
 */
final class TimeseriesOption {
  private static final List<String> GRANULARITIES = List.of("seconds", "minutes", "hours");
  private static final List<Integer> SPANS = List.of(3_600, 86_400, 2_592_000);
  private static final List<Integer> ROUNDINGS = List.of(60, 3_600, 86_400);

  private TimeseriesOption() {}

  static @Nullable BsonDocument read(@Nullable CommandReader body) {
    if (body == null) {
      return null;
    }
    String time = body.requireString("timeField");
    String meta = body.string("metaField");
    String granularity = body.oneOf("granularity", GRANULARITIES, null);
    long span = body.atLeast("bucketMaxSpanSeconds", 1, 0);
    long rounding = body.atLeast("bucketRoundingSeconds", 1, 0);
    body.finish();
    var options = new BsonDocument("timeField", new BsonString(time));
    if (meta != null) {
      options.append("metaField", new BsonString(meta));
    }
    requireTogether(granularity, span, rounding);
    if (span == 0 || granularity != null) {
      String chosen = granularity == null ? "seconds" : granularity;
      return options
          .append("granularity", new BsonString(chosen))
          .append("bucketMaxSpanSeconds", new BsonInt32(SPANS.get(GRANULARITIES.indexOf(chosen))));
    }
    return options
        .append("bucketRoundingSeconds", Numbers.intOrLong(rounding))
        .append("bucketMaxSpanSeconds", Numbers.intOrLong(span));
  }

  /** A granularity has a span and a rounding of its own; without one, both are given and equal. */
  private static void requireTogether(@Nullable String granularity, long span, long rounding) {
    if (granularity != null) {
      int index = GRANULARITIES.indexOf(granularity);
      requireDefault("bucketMaxSpanSeconds", span, SPANS.get(index));
      requireDefault("bucketRoundingSeconds", rounding, ROUNDINGS.get(index));
    } else if ((span == 0) != (rounding == 0)) {
      throw CollectionOptions.invalid(
          "The 'bucketMaxSpanSeconds' and 'bucketRoundingSeconds' parameters must be specified"
              + " together");
    } else if (span != rounding) {
      throw CollectionOptions.invalid(
          "Timeseries 'bucketRoundingSeconds' needs to be equal to 'bucketMaxSpanSeconds'");
    }
  }

  private static void requireDefault(String option, long given, int usual) {
    if (given != 0 && given != usual) {
      throw CollectionOptions.invalid(
          "Timeseries '%s' is not configurable to a value other than the default of %d for the"
                  .formatted(option, usual)
              + " provided granularity");
    }
  }
}
