package dev.orrery.language.update;

import static dev.orrery.language.update.Argument.badValue;

import dev.orrery.language.error.BsonText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonValue;

/** {@code $bit}: and, or, xor of whole numbers. */
final class BitwiseOperators {
  static final Map<String, UpdateOperator> OPERATORS = Map.of("$bit", BitwiseOperators::parse);

  private BitwiseOperators() {}

  private enum Operation {
    AND,
    OR,
    XOR;

    long compute(long left, long right) {
      return switch (this) {
        case AND -> left & right;
        case OR -> left | right;
        case XOR -> left ^ right;
      };
    }
  }

  private record Step(Operation operation, BsonValue operand) {
    /** An int if both are, else a long. */
    BsonValue compute(BsonValue value) {
      long result = operation.compute(value.asNumber().longValue(), operand.asNumber().longValue());
      return value.isInt32() && operand.isInt32()
          ? new BsonInt32((int) result)
          : new BsonInt64(result);
    }
  }

  private record Bit(List<Step> steps) implements Modifier {
    @Override
    public BsonValue update(BsonValue current, UpdateTarget target) {
      if (!isInteger(current)) {
        throw badValue(
            "Cannot apply $bit to a value of non-integral type."
                + target.id("INVALID-MUTABLE-ELEMENT")
                + " has the field "
                + target.name()
                + " of non-integer type "
                + BsonText.typeName(current));
      }
      BsonValue result = compute(current);
      return result.equals(current) ? current : result;
    }

    @Override
    public BsonValue create(UpdateTarget target) {
      return compute(new BsonInt32(0));
    }

    private BsonValue compute(BsonValue start) {
      BsonValue value = start;
      for (var step : steps) {
        value = step.compute(value);
      }
      return value;
    }
  }

  private static boolean isInteger(BsonValue value) {
    return value.isInt32() || value.isInt64();
  }

  private static Modifier parse(Argument argument) {
    if (!argument.value().isDocument()) {
      throw badValue(
          "The $bit modifier is not compatible with a "
              + argument.typeName()
              + ". You must pass in an embedded document: {$bit: {field: {and/or/xor: #}}");
    }
    var steps = new ArrayList<Step>();
    var fields = argument.fields();
    while (fields.next()) {
      steps.add(parseStep(fields.name(), fields.value().toBsonValue()));
    }
    if (steps.isEmpty()) {
      throw badValue(
          "You must pass in at least one bitwise operation. The format is: "
              + "{$bit: {field: {and/or/xor: #}}");
    }
    return new Bit(List.copyOf(steps));
  }

  private static Step parseStep(String name, BsonValue operand) {
    var operation =
        switch (name) {
          case "and" -> Operation.AND;
          case "or" -> Operation.OR;
          case "xor" -> Operation.XOR;
          default ->
              throw badValue(
                  "The $bit modifier only supports 'and', 'or', and 'xor', not '"
                      + name
                      + "' which is an unknown operator: "
                      + BsonText.bracedElement(name, operand));
        };
    if (!isInteger(operand)) {
      throw badValue(
          "The $bit modifier field must be an Integer(32/64 bit); a '"
              + BsonText.typeName(operand)
              + "' is not supported here: "
              + BsonText.bracedElement(name, operand));
    }
    return new Step(operation, operand);
  }
}
