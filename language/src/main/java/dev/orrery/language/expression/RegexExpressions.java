package dev.orrery.language.expression;

import static java.util.Map.entry;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import java.util.List;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonRegularExpression;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $regexFind $regexFindAll $regexMatch}. A constant pattern is compiled once. */
final class RegexExpressions {
  static final Map<String, ExpressionOperator> OPERATORS =
      Map.ofEntries(
          entry("$regexFind", RegexExpressions::parse),
          entry("$regexFindAll", RegexExpressions::parse),
          entry("$regexMatch", RegexExpressions::parse));

  private static final NamedArguments.Shape SHAPE =
      new NamedArguments.Shape(
          List.of("input", "regex", "options"),
          ErrorCode.LOCATION_51103,
          "%s expects an object of named arguments but found: %s",
          ErrorCode.LOCATION_31024,
          "%s found an unknown argument: %s");

  private RegexExpressions() {}

  private static Expression parse(String name, BsonValue argument, ParseContext context) {
    NamedArguments named = NamedArguments.parse(name, argument, context, SHAPE);
    return new Search(
        name,
        List.of(
            named.required("input", ErrorCode.LOCATION_31022, "%s requires 'input' parameter"),
            named.required("regex", ErrorCode.LOCATION_31023, "%s requires 'regex' parameter"),
            named.optional("options")),
        null);
  }

  /** What a pattern and its options came to; no regex if the pattern is null. */
  private record Compiled(@Nullable SafeRegex regex) {}

  /** Operands: input, regex, options. Not computed ahead, even if all are constant. */
  private record Search(String name, List<Expression> operands, @Nullable Compiled constant)
      implements Expression {
    @Override
    public BsonValue evaluate(Scope scope) {
      BsonValue input = operands.get(0).evaluate(scope);
      if (!Truth.isNullish(input) && !input.isString()) {
        throw new CommandException(
            ErrorCode.LOCATION_51104, name + " needs 'input' to be of type string");
      }
      Work.count(input, scope.allowance());
      SafeRegex regex = (constant != null ? constant : compile(scope)).regex();
      boolean isNothing = Truth.isNullish(input) || regex == null;
      try {
        return switch (name) {
          case "$regexMatch" -> Truth.of(!isNothing && regex.find(input.asString().getValue()));
          case "$regexFind" -> isNothing ? BsonNull.VALUE : first(regex, input);
          default -> isNothing ? new BsonArray() : all(regex, input.asString().getValue());
        };
      } catch (SafeRegex.TooCostly e) {
        throw new CommandException(
            ErrorCode.LOCATION_51156,
            String.format(
                "Error occurred while executing the regular expression in %s. Result code: %s",
                name, e.getMessage()));
      }
    }

    private Compiled compile(Scope scope) {
      BsonValue pattern = operands.get(1).evaluate(scope);
      BsonValue options = operands.get(2).evaluate(scope);
      Compiled compiled = RegexExpressions.compile(name, pattern, options);
      scope.allowance().steps(compiled.regex() == null ? 1 : compiled.regex().length());
      Work.count(options, scope.allowance());
      return compiled;
    }

    @Override
    public Expression withOperands(List<Expression> others) {
      return new Search(name, List.copyOf(others), constant);
    }

    @Override
    public Expression optimize() {
      List<Expression> optimized = operands.stream().map(Expression::optimize).toList();
      boolean isConstant =
          optimized.get(1) instanceof Constant && optimized.get(2) instanceof Constant;
      var search = new Search(name, optimized, null);
      return isConstant ? new Search(name, optimized, search.compile(new Scope())) : search;
    }
  }

  private static Compiled compile(
      String name, @Nullable BsonValue pattern, @Nullable BsonValue options) {
    boolean isRegex = pattern != null && pattern.isRegularExpression();
    if (!isRegex && !Truth.isNullish(pattern) && !pattern.isString()) {
      throw new CommandException(
          ErrorCode.LOCATION_51105, name + " needs 'regex' to be of type string or regex");
    }
    if (!Truth.isNullish(options) && !options.isString()) {
      throw new CommandException(
          ErrorCode.LOCATION_51106, name + " needs 'options' to be of type string");
    }
    String flags = Truth.isNullish(options) ? "" : options.asString().getValue();
    String text = null;
    if (isRegex) {
      BsonRegularExpression regex = pattern.asRegularExpression();
      text = regex.getPattern();
      if (!Truth.isNullish(options) && !regex.getOptions().isEmpty()) {
        throw new CommandException(
            ErrorCode.LOCATION_51107,
            name + ": found regex option(s) specified in both 'regex' and 'option' fields");
      }
      flags = regex.getOptions().isEmpty() ? flags : regex.getOptions();
    } else if (!Truth.isNullish(pattern)) {
      text = pattern.asString().getValue();
    }
    return compile(name, text, flags);
  }

  private static Compiled compile(String name, @Nullable String text, String flags) {
    if (text != null && text.indexOf('\0') >= 0) {
      throw new CommandException(
          ErrorCode.LOCATION_51109,
          name + ": regular expression cannot contain an embedded null byte");
    }
    if (flags.indexOf('\0') >= 0) {
      throw new CommandException(
          ErrorCode.LOCATION_51110,
          name + ": regular expression options cannot contain an embedded null byte");
    }
    String invalid = SafeRegex.invalidOption(flags);
    if (invalid != null) {
      throw new CommandException(
          ErrorCode.LOCATION_51108, name + " invalid flag in regex options: " + invalid);
    }
    try {
      return new Compiled(text == null ? null : SafeRegex.compile(text, flags));
    } catch (SafeRegex.InvalidPattern e) {
      throw new CommandException(
          ErrorCode.LOCATION_51111, "Invalid Regex in " + name + ": " + e.getMessage());
    }
  }

  private static BsonValue first(SafeRegex regex, BsonValue input) {
    String text = input.asString().getValue();
    SafeRegex.Match match = regex.find(text, 0);
    return match == null
        ? BsonNull.VALUE
        : describe(text, match, text.codePointCount(0, match.start()));
  }

  /** All matches that don't overlap; an empty one is found at every place but the very end. */
  private static BsonArray all(SafeRegex regex, String text) {
    var found = new BsonArray();
    int from = 0;
    int counted = 0;
    int codePoints = 0;
    Allowance allowance = Allowance.current();
    try (var growing = new ValueSize.Growing(allowance)) {
      do {
        allowance.step();
        SafeRegex.Match match = regex.find(text, from);
        if (match == null) {
          break;
        }
        codePoints += text.codePointCount(counted, match.start());
        counted = match.start();
        BsonDocument described = describe(text, match, codePoints);
        growing.add(described);
        found.add(described);
        from = match.end();
        if (match.end() == match.start()) {
          from += from < text.length() ? Character.charCount(text.codePointAt(from)) : 1;
        }
      } while (from < text.length());
    }
    return found;
  }

  private static BsonDocument describe(String text, SafeRegex.Match match, int index) {
    var captures = new BsonArray(match.groups().size());
    for (String group : match.groups()) {
      captures.add(group == null ? BsonNull.VALUE : new BsonString(group));
    }
    return new BsonDocument("match", new BsonString(text.substring(match.start(), match.end())))
        .append("idx", new BsonInt32(index))
        .append("captures", captures);
  }
}
