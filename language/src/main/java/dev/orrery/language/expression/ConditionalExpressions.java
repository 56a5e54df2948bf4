package dev.orrery.language.expression;

import static java.util.Map.entry;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $cond $ifNull $switch}: only the operands needed are evaluated. */
final class ConditionalExpressions {
  static final Map<String, ExpressionOperator> OPERATORS =
      Map.ofEntries(
          entry("$cond", ConditionalExpressions::parseCond),
          entry("$ifNull", ConditionalExpressions::parseIfNull),
          entry("$switch", ConditionalExpressions::parseSwitch));

  private static final NamedArguments.Shape COND =
      new NamedArguments.Shape(
          List.of("if", "then", "else"),
          ErrorCode.LOCATION_17083,
          "%s",
          ErrorCode.LOCATION_17083,
          "Unrecognized parameter to %s: %s");
  private static final NamedArguments.Shape SWITCH =
      new NamedArguments.Shape(
          List.of("branches", "default"),
          ErrorCode.LOCATION_40060,
          "%s requires an object as an argument, found: %s",
          ErrorCode.LOCATION_40067,
          "%s found an unknown argument: %s");

  private ConditionalExpressions() {}

  private static Expression parseCond(String name, BsonValue argument, ParseContext context) {
    if (!argument.isDocument()) {
      return new Cond(Arguments.exactly(3, name, argument, context));
    }
    NamedArguments named = NamedArguments.parse(name, argument, context, COND);
    return new Cond(
        List.of(
            named.required("if", ErrorCode.LOCATION_17080, "Missing 'if' parameter to %s"),
            named.required("then", ErrorCode.LOCATION_17081, "Missing 'then' parameter to %s"),
            named.required("else", ErrorCode.LOCATION_17082, "Missing 'else' parameter to %s")));
  }

  private static Expression parseIfNull(String name, BsonValue argument, ParseContext context) {
    List<Expression> operands = Arguments.list(argument, context);
    if (operands.size() < 2) {
      throw new CommandException(
          ErrorCode.LOCATION_1257300,
          "$ifNull needs at least two arguments, had: " + operands.size());
    }
    return new IfNull(operands);
  }

  private static Expression parseSwitch(String name, BsonValue argument, ParseContext context) {
    NamedArguments named = NamedArguments.parse(name, argument, context, SWITCH);
    var operands = new ArrayList<Expression>();
    BsonValue branches = named.raw("branches");
    if (branches != null) {
      if (!branches.isArray()) {
        throw new CommandException(
            ErrorCode.LOCATION_40061,
            "$switch expected an array for 'branches', found: " + BsonText.typeName(branches));
      }
      for (BsonValue branch : branches.asArray()) {
        operands.addAll(parseBranch(branch, context));
      }
    }
    if (operands.isEmpty()) {
      throw new CommandException(ErrorCode.LOCATION_40068, "$switch requires at least one branch");
    }
    Expression otherwise = named.has("default") ? named.optional("default") : new NoDefault();
    operands.add(otherwise);
    return new Switch(operands);
  }

  private static List<Expression> parseBranch(BsonValue branch, ParseContext context) {
    if (!branch.isDocument()) {
      throw new CommandException(
          ErrorCode.LOCATION_40062,
          "$switch expected each branch to be an object, found: " + BsonText.typeName(branch));
    }
    BsonDocument fields = branch.asDocument();
    for (String field : fields.keySet()) {
      if (!field.equals("case") && !field.equals("then")) {
        throw new CommandException(
            ErrorCode.LOCATION_40063, "$switch found an unknown argument to a branch: " + field);
      }
    }
    if (!fields.containsKey("case")) {
      throw new CommandException(
          ErrorCode.LOCATION_40064, "$switch requires each branch have a 'case' expression");
    }
    if (!fields.containsKey("then")) {
      throw new CommandException(
          ErrorCode.LOCATION_40065, "$switch requires each branch have a 'then' expression.");
    }
    return List.of(
        Expressions.parse(fields.get("case"), context),
        Expressions.parse(fields.get("then"), context));
  }

  /** Operands: if, then, else. */
  private record Cond(List<Expression> operands) implements Expression {
    @Override
    public @Nullable BsonValue evaluate(Scope scope) {
      scope.allowance().step();
      boolean isTrue = Truth.isTrue(operands.get(0).evaluate(scope));
      return operands.get(isTrue ? 1 : 2).evaluate(scope);
    }

    @Override
    public Expression withOperands(List<Expression> others) {
      return new Cond(List.copyOf(others));
    }

    @Override
    public Expression optimize() {
      List<Expression> optimized = operands.stream().map(Expression::optimize).toList();
      if (optimized.get(0) instanceof Constant constant) {
        return optimized.get(Truth.isTrue(constant.value()) ? 1 : 2);
      }
      return new Cond(optimized);
    }
  }

  /** The first value that is something, else the last. */
  private record IfNull(List<Expression> operands) implements Expression {
    @Override
    public @Nullable BsonValue evaluate(Scope scope) {
      scope.allowance().step();
      BsonValue value = null;
      for (int i = 0; i < operands.size(); i++) {
        value = operands.get(i).evaluate(scope);
        if (!Truth.isNullish(value)) {
          return value;
        }
      }
      return value;
    }

    @Override
    public Expression withOperands(List<Expression> others) {
      return new IfNull(List.copyOf(others));
    }

    @Override
    public Expression optimize() {
      List<Expression> optimized = operands.stream().map(Expression::optimize).toList();
      var kept = new ArrayList<Expression>(optimized.size());
      Expression last = optimized.get(optimized.size() - 1);
      for (Expression operand : optimized) {
        if (!(operand instanceof Constant constant)) {
          kept.add(operand);
        } else if (!Truth.isNullish(constant.value())) {
          kept.add(operand);
          break;
        } else if (operand == last) {
          kept.add(operand);
        }
      }
      return kept.size() == 1 ? kept.get(0) : new IfNull(kept);
    }
  }

  /** Operands: case and then of each branch, and the default at the end. */
  private record Switch(List<Expression> operands) implements Expression {
    @Override
    public @Nullable BsonValue evaluate(Scope scope) {
      scope.allowance().step();
      int last = operands.size() - 1;
      for (int i = 0; i < last; i += 2) {
        if (Truth.isTrue(operands.get(i).evaluate(scope))) {
          return operands.get(i + 1).evaluate(scope);
        }
      }
      return operands.get(last).evaluate(scope);
    }

    @Override
    public Expression withOperands(List<Expression> others) {
      return new Switch(List.copyOf(others));
    }

    @Override
    public Expression optimize() {
      Expression otherwise = operands.get(operands.size() - 1).optimize();
      var kept = new ArrayList<Expression>(operands.size());
      for (int i = 0; i + 1 < operands.size(); i += 2) {
        Expression test = operands.get(i).optimize();
        if (!(test instanceof Constant constant)) {
          kept.add(test);
          kept.add(operands.get(i + 1).optimize());
        } else if (Truth.isTrue(constant.value())) {
          otherwise = operands.get(i + 1).optimize();
          break;
        }
      }
      if (!kept.isEmpty()) {
        kept.add(otherwise);
        return new Switch(kept);
      }
      if (otherwise instanceof NoDefault) {
        throw new CommandException(
            ErrorCode.LOCATION_40069,
            "Cannot execute a switch statement where all the cases evaluate to false "
                + "without a default");
      }
      return otherwise;
    }
  }

  /** The default of a $switch without one. */
  private record NoDefault() implements Expression {
    @Override
    public BsonValue evaluate(Scope scope) {
      throw new CommandException(
          ErrorCode.LOCATION_40066,
          "$switch could not find a matching branch for an input, and no default was specified.");
    }

    @Override
    public List<Expression> operands() {
      return List.of();
    }

    @Override
    public Expression withOperands(List<Expression> others) {
      return this;
    }
  }
}
