package dev.orrery.language.update;

import static dev.orrery.language.update.Argument.badValue;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.WatchedOrder;
import dev.orrery.language.number.Numbers;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $inc}, {@code $mul}: the wider type wins, a long that overflows is refused. */
record Arithmetic(Operation operation, BsonValue operand) implements Modifier {
  private static final BsonValue ZERO = new BsonInt32(0);

  enum Operation {
    ADD("$inc", "increment"),
    MULTIPLY("$mul", "multiply");

    private final String operator;
    private final String verb;

    Operation(String operator, String verb) {
      this.operator = operator;
      this.verb = verb;
    }

    private @Nullable BsonValue compute(BsonValue left, BsonValue right) {
      return switch (this) {
        case ADD -> Numbers.addExact(left, right);
        case MULTIPLY -> Numbers.multiplyExact(left, right);
      };
    }
  }

  static Arithmetic parse(Operation operation, Argument argument) {
    if (!Numbers.isNumber(argument.value())) {
      throw new CommandException(
          ErrorCode.TYPE_MISMATCH,
          "Cannot " + operation.verb + " with non-numeric argument: " + argument.text());
    }
    return new Arithmetic(operation, argument.value());
  }

  @Override
  public BsonValue update(BsonValue current, UpdateTarget target) {
    if (!Numbers.isNumber(current)) {
      throw new CommandException(
          ErrorCode.TYPE_MISMATCH,
          "Cannot apply "
              + operation.operator
              + " to a value of non-numeric type. {"
              + target.id("INVALID-MUTABLE-ELEMENT")
              + "} has the field '"
              + target.name()
              + "' of non-numeric type "
              + BsonText.typeName(current));
    }
    BsonValue result = operation.compute(operand, current);
    if (result == null) {
      throw badValue(
          "Failed to apply "
              + operation.operator
              + " operations to current value ("
              + BsonText.typedNumber(current)
              + ") for document {"
              + target.id("INVALID-MUTABLE-ELEMENT")
              + "}");
    }
    return isSame(result, current) ? current : result;
  }

  /** The same type and an equal number: 1.0 is 1.00 here, but NaN is not itself. */
  private static boolean isSame(BsonValue result, BsonValue current) {
    return result.getBsonType() == current.getBsonType()
        && WatchedOrder.CANONICAL.areEqual(result, current)
        && !isNaN(result);
  }

  private static boolean isNaN(BsonValue number) {
    return switch (number.getBsonType()) {
      case DOUBLE -> Double.isNaN(number.asDouble().getValue());
      case DECIMAL128 -> number.asDecimal128().getValue().isNaN();
      default -> false;
    };
  }

  @Override
  public BsonValue create(UpdateTarget target) {
    return operation == Operation.ADD ? operand : Numbers.multiplyExact(operand, ZERO);
  }
}
