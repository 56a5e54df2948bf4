package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.accumulator.Accumulator;
import dev.orrery.language.aggregate.stage.DocumentStream;
import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.Sorter;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.DoubleText;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.expression.Expression;
import dev.orrery.language.expression.Expressions;
import dev.orrery.language.number.Numbers;
import dev.orrery.value.KeyEncoder;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $bucketAuto}: so many groups of about the same size, by ranges of values. */
record BucketAutoStage(
    GroupStage group, int buckets, @Nullable Granularity granularity, BsonDocument specification)
    implements Stage {

  static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    if (!argument.isDocument()) {
      throw new CommandException(
          ErrorCode.LOCATION_40240,
          "The argument to $bucketAuto must be an object, but found type: "
              + BsonText.typeName(argument));
    }
    Expression groupBy = null;
    Integer buckets = null;
    Granularity granularity = null;
    var output = new BsonDocument("count", new BsonDocument("$sum", new BsonInt32(1)));
    for (var option : argument.asDocument().entrySet()) {
      BsonValue value = option.getValue();
      switch (option.getKey()) {
        case "groupBy" -> groupBy = parseGroupBy(value, context);
        case "buckets" -> buckets = parseBuckets(value);
        case "output" -> output = parseOutput(value);
        case "granularity" -> granularity = parseGranularity(value);
        default ->
            throw new CommandException(
                ErrorCode.LOCATION_40245, "Unrecognized option to $bucketAuto: " + option.getKey());
      }
    }
    if (groupBy == null || buckets == null) {
      throw new CommandException(
          ErrorCode.LOCATION_40246, "$bucketAuto requires 'groupBy' and 'buckets' to be specified");
    }
    if (buckets <= 0) {
      throw new CommandException(
          ErrorCode.LOCATION_40243,
          "The $bucketAuto 'buckets' field must be greater than 0, but found: " + buckets);
    }
    var specification = new BsonDocument("_id", BsonNull.VALUE);
    specification.putAll(output);
    GroupStage parsed = GroupStage.of(specification, context);
    var group =
        new GroupStage(
            groupBy, parsed.fields(), parsed.accumulations(), parsed.order(), specification);
    return List.of(
        new BucketAutoStage(group, buckets, granularity, new BsonDocument(name, argument)));
  }

  private static Expression parseGroupBy(BsonValue value, PipelineContext context) {
    boolean isExpression =
        BucketStages.isExpression(value)
            && !(value.isString() && value.asString().getValue().length() < 2);
    if (!isExpression) {
      throw new CommandException(
          ErrorCode.LOCATION_40239,
          "The $bucketAuto 'groupBy' field must be defined as a $-prefixed path or an expression"
              + " object, but found: "
              + BsonText.stored(value));
    }
    return Expressions.parse(value, context.expressions());
  }

  private static int parseBuckets(BsonValue value) {
    if (!Numbers.isNumber(value)) {
      throw new CommandException(
          ErrorCode.LOCATION_40241,
          "The $bucketAuto 'buckets' field must be a numeric value, but found type: "
              + BsonText.typeName(value));
    }
    if (!Numbers.isInt(value)) {
      throw new CommandException(
          ErrorCode.LOCATION_40242,
          "The $bucketAuto 'buckets' field must be representable as a 32-bit integer, but found "
              + DoubleText.brief(Numbers.toDouble(value)));
    }
    return (int) Numbers.toLong(value);
  }

  private static BsonDocument parseOutput(BsonValue value) {
    if (!value.isDocument()) {
      throw new CommandException(
          ErrorCode.LOCATION_40244,
          "The $bucketAuto 'output' field must be an object, but found type: "
              + BsonText.typeName(value));
    }
    return value.asDocument();
  }

  private static Granularity parseGranularity(BsonValue value) {
    if (!value.isString()) {
      throw new CommandException(
          ErrorCode.LOCATION_40261,
          "The $bucketAuto 'granularity' field must be a string, but found type: "
              + BsonText.typeName(value));
    }
    return Granularity.parse(value.asString().getValue());
  }

  @Override
  public String name() {
    return "$bucketAuto";
  }

  @Override
  public Stage optimize() {
    return new BucketAutoStage((GroupStage) group.optimize(), buckets, granularity, specification);
  }

  @Override
  public boolean addDependencies(Dependencies dependencies) {
    return group.addDependencies(dependencies);
  }

  @Override
  public DocumentStream open(DocumentStream input, PipelineRun run) {
    return new DocumentStream() {
      private @Nullable Buckets results;

      @Override
      public @Nullable BsonDocument next() {
        if (results == null) {
          results = new Buckets(BucketAutoStage.this, run, sorted(input, run));
        }
        return results.next();
      }

      @Override
      public void close() {
        if (results != null) {
          results.close();
        }
        input.close();
      }
    };
  }

  private Buckets.Sorted sorted(DocumentStream input, PipelineRun run) {
    var sorter = new Sorter(run.spill(), 0);
    long count = 0;
    for (BsonDocument one = input.next(); one != null; one = input.next()) {
      BsonValue value = group.id().evaluate(run.scope().root(one));
      if (granularity != null) {
        requireRoundable(value);
      }
      BsonValue key = value == null ? BsonNull.VALUE : value;
      byte[] bytes = new KeyEncoder(group.order().strings()).append(key, false).toByteArray();
      sorter.add(bytes, new BsonDocument("k", key).append("d", one));
      count++;
    }
    sorter.finish();
    return new Buckets.Sorted(sorter, count);
  }

  private static void requireRoundable(@Nullable BsonValue value) {
    if (!Numbers.isNumber(value)) {
      throw new CommandException(
          ErrorCode.LOCATION_40258,
          "$bucketAuto can specify a 'granularity' with numeric boundaries only, but found a value"
              + " with type: "
              + BsonText.typeName(value));
    }
    double number = Numbers.toDouble(value);
    if (Double.isNaN(number)) {
      throw new CommandException(
          ErrorCode.LOCATION_40259,
          "$bucketAuto can specify a 'granularity' with numeric boundaries only, but found a NaN");
    }
    if (number < 0) {
      throw new CommandException(
          ErrorCode.LOCATION_40260,
          "$bucketAuto can specify a 'granularity' with non-negative numbers only, but found a"
              + " negative number");
    }
  }

  /** An empty list of states for a bucket. */
  List<Accumulator> states(PipelineRun run) {
    var states = new ArrayList<Accumulator>();
    var scope = run.scope().root(new BsonDocument());
    group.accumulations().forEach(one -> states.add(one.create(scope)));
    return states;
  }
}
