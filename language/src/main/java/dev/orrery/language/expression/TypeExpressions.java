package dev.orrery.language.expression;

import static dev.orrery.language.error.BsonText.typeName;
import static java.util.Map.entry;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.number.Numbers;
import java.util.List;
import java.util.Map;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $convert}, its short forms {@code $toInt ...}, {@code $isNumber $type}. */
final class TypeExpressions {
  static final Map<String, ExpressionOperator> OPERATORS =
      Map.ofEntries(
          entry("$convert", TypeExpressions::parseConvert),
          entry("$isNumber", Arguments.unary(value -> Truth.of(Numbers.isNumber(value)))),
          shortForm("$toBool", "bool"),
          shortForm("$toDate", "date"),
          shortForm("$toDecimal", "decimal"),
          shortForm("$toDouble", "double"),
          shortForm("$toInt", "int"),
          shortForm("$toLong", "long"),
          shortForm("$toObjectId", "objectId"),
          shortForm("$toString", "string"),
          entry("$type", Arguments.unary(value -> new BsonString(typeName(value)))));

  private static final NamedArguments.Shape CONVERT =
      new NamedArguments.Shape(
          List.of("input", "to", "onError", "onNull"),
          ErrorCode.FAILED_TO_PARSE,
          "%s expects an object of named arguments but found: %s",
          ErrorCode.FAILED_TO_PARSE,
          "%s found an unknown argument: %s");

  private TypeExpressions() {}

  private static Map.Entry<String, ExpressionOperator> shortForm(String name, String type) {
    return entry(
        name,
        (operator, argument, context) -> {
          List<Expression> operands = Arguments.list(argument, context);
          if (operands.size() != 1) {
            throw new CommandException(
                ErrorCode.LOCATION_50723,
                operator + " requires a single argument, got " + operands.size());
          }
          Expression target = new Constant(new BsonString(type));
          Expression nothing = new Constant(BsonNull.VALUE);
          return new Convert(false, List.of(operands.get(0), target, nothing, nothing));
        });
  }

  private static Expression parseConvert(String name, BsonValue argument, ParseContext context) {
    NamedArguments named = NamedArguments.parse(name, argument, context, CONVERT);
    return new Convert(
        named.has("onError"),
        List.of(
            named.required("input", ErrorCode.FAILED_TO_PARSE, "Missing 'input' parameter to %s"),
            named.required("to", ErrorCode.FAILED_TO_PARSE, "Missing 'to' parameter to %s"),
            named.has("onNull") ? named.optional("onNull") : new Constant(BsonNull.VALUE),
            named.optional("onError")));
  }

  /** Operands: input, to, onNull, onError; the last two are evaluated only when needed. */
  private record Convert(boolean hasOnError, List<Expression> operands) implements Expression {
    @Override
    public @Nullable BsonValue evaluate(Scope scope) {
      scope.allowance().step();
      BsonValue to = operands.get(1).evaluate(scope);
      BsonValue input = operands.get(0).evaluate(scope);
      BsonType target = Truth.isNullish(to) ? null : requireType(to);
      if (Truth.isNullish(input)) {
        return operands.get(2).evaluate(scope);
      }
      if (target == null) {
        return BsonNull.VALUE;
      }
      try {
        return Conversion.convert(input, target);
      } catch (CommandException e) {
        if (hasOnError && e.code() == ErrorCode.CONVERSION_FAILURE) {
          return operands.get(3).evaluate(scope);
        }
        throw e;
      }
    }

    @Override
    public Expression withOperands(List<Expression> others) {
      return new Convert(hasOnError, List.copyOf(others));
    }

    @Override
    public boolean isFoldable() {
      return true;
    }
  }

  /** A type by its name or number. */
  private static BsonType requireType(BsonValue to) {
    if (to.isString()) {
      String name = to.asString().getValue();
      for (BsonType type : BsonType.values()) {
        if (BsonText.typeName(type).equals(name)) {
          return type;
        }
      }
      throw new CommandException(ErrorCode.BAD_VALUE, "Unknown type name: " + name);
    }
    if (!Numbers.isNumber(to)) {
      throw new CommandException(
          ErrorCode.FAILED_TO_PARSE,
          "$convert's 'to' argument must be a string or number, but is " + typeName(to));
    }
    if (!Numbers.isInt(to)) {
      throw new CommandException(
          ErrorCode.FAILED_TO_PARSE, "In $convert, numeric 'to' argument is not an integer");
    }
    int number = (int) Numbers.toLong(to);
    for (BsonType type : BsonType.values()) {
      // MinKey is -1 to MongoDB and 255 to the bson library.
      if ((byte) type.getValue() == number && number == (byte) number) {
        return type;
      }
    }
    throw new CommandException(
        ErrorCode.FAILED_TO_PARSE,
        "In $convert, numeric value for 'to' does not correspond to a BSON type: " + number);
  }
}
