package dev.orrery.language.update;

import static dev.orrery.language.update.Argument.badValue;
import static java.util.Map.entry;

import dev.orrery.value.BsonOrder;
import dev.orrery.value.RawValue;
import java.util.Map;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $currentDate $inc $max $min $mul $set $setOnInsert $unset}: operators on any field. */
final class FieldOperators {
  static final Map<String, UpdateOperator> OPERATORS =
      Map.ofEntries(
          entry("$currentDate", FieldOperators::parseCurrentDate),
          entry("$inc", argument -> Arithmetic.parse(Arithmetic.Operation.ADD, argument)),
          entry("$max", argument -> new Extreme(argument.value(), 1, argument.order())),
          entry("$min", argument -> new Extreme(argument.value(), -1, argument.order())),
          entry("$mul", argument -> Arithmetic.parse(Arithmetic.Operation.MULTIPLY, argument)),
          entry("$set", argument -> new Set(argument.value(), false)),
          entry("$setOnInsert", argument -> new Set(argument.value(), true)),
          entry("$unset", argument -> new Unset()));

  private FieldOperators() {}

  /** {@code $set}, {@code $setOnInsert}. */
  private record Set(BsonValue value, boolean isOnlyForInsert) implements Modifier {
    @Override
    public BsonValue update(BsonValue current, UpdateTarget target) {
      return isIdentical(current, value) ? current : value;
    }

    @Override
    public BsonValue create(UpdateTarget target) {
      return value;
    }
  }

  /** Whether type and bytes are the same, which takes the order of fields into account. */
  private static boolean isIdentical(BsonValue left, BsonValue right) {
    if (left.getBsonType() != right.getBsonType()) {
      return false;
    }
    return switch (left.getBsonType()) {
      case DOCUMENT, ARRAY, JAVASCRIPT_WITH_SCOPE ->
          RawValue.of(left).isIdenticalTo(RawValue.of(right));
      default -> left.equals(right);
    };
  }

  /** {@code $unset}: an element of an array becomes null, so that the others keep their places. */
  private record Unset() implements Modifier {
    @Override
    public @Nullable BsonValue update(BsonValue current, UpdateTarget target) {
      return null;
    }

    @Override
    public @Nullable BsonValue create(UpdateTarget target) {
      return null;
    }

    @Override
    public boolean allowsBlockedPath() {
      return true;
    }
  }

  /** {@code $max}, {@code $min}: {@code sign} tells on which side of the value a better one is. */
  private record Extreme(BsonValue value, int sign, BsonOrder order) implements Modifier {
    @Override
    public BsonValue update(BsonValue current, UpdateTarget target) {
      return Integer.signum(order.compare(value, current)) == sign ? value : current;
    }

    @Override
    public BsonValue create(UpdateTarget target) {
      return value;
    }
  }

  /** {@code $currentDate}, as a date or as a timestamp. */
  private record CurrentDate(boolean isTimestamp) implements Modifier {
    @Override
    public BsonValue update(BsonValue current, UpdateTarget target) {
      return create(target);
    }

    @Override
    public BsonValue create(UpdateTarget target) {
      return isTimestamp
          ? target.clock().nextTimestamp()
          : new BsonDateTime(target.clock().nowMillis());
    }
  }

  private static Modifier parseCurrentDate(Argument argument) {
    return switch (argument.value().getBsonType()) {
      case BOOLEAN -> new CurrentDate(false);
      case DOCUMENT -> parseCurrentDate(argument.value().asDocument());
      default ->
          throw badValue(
              argument.typeName()
                  + " is not valid type for $currentDate. Please use a boolean ('true') or a $type"
                  + " expression ({$type: 'timestamp/date'}).");
    };
  }

  private static Modifier parseCurrentDate(BsonDocument options) {
    for (String name : options.keySet()) {
      if (!name.equals("$type")) {
        throw badValue("Unrecognized $currentDate option: " + name);
      }
    }
    BsonValue type = options.get("$type");
    boolean isTimestamp = new BsonString("timestamp").equals(type);
    if (!isTimestamp && !new BsonString("date").equals(type)) {
      throw badValue(
          "The '$type' string field is required to be 'date' or 'timestamp': "
              + "{$currentDate: {field : {$type: 'date'}}}");
    }
    return new CurrentDate(isTimestamp);
  }
}
