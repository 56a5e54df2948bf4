package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.PipelineContext;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Constant;
import dev.orrery.language.expression.Expression;
import dev.orrery.language.expression.Expressions;
import dev.orrery.language.expression.Scope;
import dev.orrery.language.limit.Allowance;
import dev.orrery.value.BsonOrder;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $bucket}: a group for each range of values, which is a $group and a $sort. */
final class BucketStages {
  private final PipelineContext context;
  private @Nullable BsonValue groupBy;
  private List<BsonValue> boundaries = List.of();
  private @Nullable Constant fallback;
  private BsonDocument output =
      new BsonDocument("count", new BsonDocument("$sum", new BsonInt32(1)));

  private BucketStages(PipelineContext context) {
    this.context = context;
  }

  static List<Stage> parse(String name, BsonValue argument, PipelineContext context) {
    if (!argument.isDocument()) {
      throw new CommandException(
          ErrorCode.LOCATION_40201,
          "Argument to $bucket stage must be an object, but found type: "
              + BsonText.typeName(argument)
              + ".");
    }
    var parser = new BucketStages(context);
    argument.asDocument().forEach(parser::read);
    return parser.stages();
  }

  private void read(String name, BsonValue value) {
    switch (name) {
      case "groupBy" -> groupBy = readGroupBy(value);
      case "boundaries" -> boundaries = readBoundaries(value);
      case "default" -> fallback = readDefault(value);
      case "output" -> {
        if (!value.isDocument()) {
          throw new CommandException(
              ErrorCode.LOCATION_40196,
              "The $bucket 'output' field must be an object, but found type: "
                  + BsonText.typeName(value)
                  + ".");
        }
        output = value.asDocument();
      }
      default ->
          throw new CommandException(
              ErrorCode.LOCATION_40197, "Unrecognized option to $bucket: " + name + ".");
    }
  }

  static boolean isExpression(BsonValue value) {
    if (value.isDocument()) {
      return !value.asDocument().isEmpty() && value.asDocument().getFirstKey().startsWith("$");
    }
    return value.isString() && value.asString().getValue().startsWith("$");
  }

  private static BsonValue readGroupBy(BsonValue value) {
    if (!isExpression(value)) {
      throw new CommandException(
          ErrorCode.LOCATION_40202,
          "The $bucket 'groupBy' field must be defined as a $-prefixed path or an expression, but"
              + " found: "
              + BsonText.stored(value)
              + ".");
    }
    return value;
  }

  private @Nullable Constant constant(BsonValue value) {
    Expression expression = Expressions.parse(value, context.expressions()).optimize();
    return expression instanceof Constant constant ? constant : null;
  }

  private List<BsonValue> readBoundaries(BsonValue value) {
    if (!value.isArray()) {
      throw new CommandException(
          ErrorCode.LOCATION_40200,
          "The $bucket 'boundaries' field must be an array, but found type: "
              + BsonText.typeName(value)
              + ".");
    }
    var values = new ArrayList<BsonValue>();
    for (BsonValue element : value.asArray()) {
      Constant constant = constant(element);
      if (constant == null) {
        throw new CommandException(
            ErrorCode.LOCATION_40191,
            "The $bucket 'boundaries' field must be an array of constant values, but found value: "
                + BsonText.stored(element)
                + ".");
      }
      values.add(constant.value());
    }
    if (values.size() < 2) {
      throw new CommandException(
          ErrorCode.LOCATION_40192,
          "The $bucket 'boundaries' field must have at least 2 values, but found "
              + values.size()
              + " value(s).");
    }
    for (int i = 1; i < values.size(); i++) {
      requireAscending(values.get(i - 1), values.get(i), i);
    }
    return values;
  }

  private void requireAscending(@Nullable BsonValue lower, @Nullable BsonValue upper, int place) {
    if (BsonOrder.canonicalType(lower) != BsonOrder.canonicalType(upper)) {
      throw new CommandException(
          ErrorCode.LOCATION_40193,
          "All values in the the 'boundaries' option to $bucket must have the same type. Found"
              + " conflicting types "
              + BsonText.typeName(lower)
              + " and "
              + BsonText.typeName(upper)
              + ".");
    }
    if (context.order().compare(lower, upper) >= 0) {
      throw new CommandException(
          ErrorCode.LOCATION_40194,
          "The 'boundaries' option to $bucket must be sorted, but elements "
              + (place - 1)
              + " and "
              + place
              + " are not in ascending order ("
              + BsonText.aggregated(lower)
              + " is not less than "
              + BsonText.aggregated(upper)
              + ").");
    }
  }

  private Constant readDefault(BsonValue value) {
    Constant constant = constant(value);
    if (constant == null) {
      throw new CommandException(
          ErrorCode.LOCATION_40195,
          "The $bucket 'default' field must be a constant expression, but found: "
              + BsonText.stored(value)
              + ".");
    }
    return constant;
  }

  private List<Stage> stages() {
    if (groupBy == null || boundaries.isEmpty()) {
      throw new CommandException(
          ErrorCode.LOCATION_40198, "$bucket requires 'groupBy' and 'boundaries' to be specified.");
    }
    requireDefaultOutside();
    var specification = new BsonDocument("_id", BsonNull.VALUE);
    specification.putAll(output);
    GroupStage group = GroupStage.of(specification, context);
    var key =
        new Bucket(
            Expressions.parse(groupBy, context.expressions()),
            boundaries,
            fallback,
            context.order());
    var grouped =
        new GroupStage(
            key, group.fields(), group.accumulations(), group.order(), group.specification());
    return List.of(grouped, SortStage.of(new BsonDocument("_id", new BsonInt32(1)), context));
  }

  private void requireDefaultOutside() {
    BsonValue lowest = boundaries.get(0);
    if (fallback == null
        || BsonOrder.canonicalType(fallback.value()) != BsonOrder.canonicalType(lowest)) {
      return;
    }
    BsonValue highest = boundaries.get(boundaries.size() - 1);
    boolean isOutside =
        context.order().compare(fallback.value(), lowest) < 0
            || context.order().compare(fallback.value(), highest) >= 0;
    if (!isOutside) {
      throw new CommandException(
          ErrorCode.LOCATION_40199,
          "The $bucket 'default' field must be less than the lowest boundary or greater than or"
              + " equal to the highest boundary.");
    }
  }

  /** The lower boundary of the range that a value is in. */
  private record Bucket(
      Expression value, List<BsonValue> boundaries, @Nullable Constant fallback, BsonOrder order)
      implements Expression {
    @Override
    public @Nullable BsonValue evaluate(Scope scope) {
      BsonValue found = value.evaluate(scope);
      Allowance.current().steps(boundaries.size());
      for (int i = boundaries.size() - 1; i >= 0; i--) {
        if (order.compare(found, boundaries.get(i)) >= 0) {
          return i < boundaries.size() - 1 ? boundaries.get(i) : orDefault();
        }
      }
      return orDefault();
    }

    private @Nullable BsonValue orDefault() {
      if (fallback == null) {
        throw new CommandException(
            ErrorCode.LOCATION_7158303,
            "$switch could not find a matching branch for an input, and no default was"
                + " specified.");
      }
      return fallback.value();
    }

    @Override
    public List<Expression> operands() {
      return List.of(value);
    }

    @Override
    public Expression withOperands(List<Expression> operands) {
      return new Bucket(operands.get(0), boundaries, fallback, order);
    }
  }
}
