package dev.orrery.language.expression;

import static dev.orrery.language.error.BsonText.typeName;
import static java.util.Map.entry;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import java.util.List;
import java.util.Map;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** {@code $ltrim $replaceAll $replaceOne $rtrim $trim}: strings with parts cut or exchanged. */
final class ReplaceExpressions {
  static final Map<String, ExpressionOperator> OPERATORS =
      Map.ofEntries(
          entry("$ltrim", ReplaceExpressions::parseTrim),
          entry("$replaceAll", ReplaceExpressions::parseReplace),
          entry("$replaceOne", ReplaceExpressions::parseReplace),
          entry("$rtrim", ReplaceExpressions::parseTrim),
          entry("$trim", ReplaceExpressions::parseTrim));

  private static final String WHITESPACE =
      "\0 \t\n\u000b\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008"
          + "\u2009\u200a";
  private static final NamedArguments.Shape REPLACE =
      new NamedArguments.Shape(
          List.of("input", "find", "replacement"),
          ErrorCode.LOCATION_51751,
          "%s requires an object as an argument, found: %s",
          ErrorCode.LOCATION_51750,
          "%s found an unknown argument: %s");
  private static final NamedArguments.Shape TRIM =
      new NamedArguments.Shape(
          List.of("input", "chars"),
          ErrorCode.LOCATION_50696,
          "%s only supports an object as an argument, found %s",
          ErrorCode.LOCATION_50694,
          "%s found an unknown argument: %s");

  private ReplaceExpressions() {}

  private static Expression parseReplace(String name, BsonValue argument, ParseContext context) {
    NamedArguments named = NamedArguments.parse(name, argument, context, REPLACE);
    String text = " to be specified";
    List<Expression> operands =
        List.of(
            named.required("input", ErrorCode.LOCATION_51749, "%s requires 'input'" + text),
            named.required("find", ErrorCode.LOCATION_51748, "%s requires 'find'" + text),
            named.required(
                "replacement", ErrorCode.LOCATION_51747, "%s requires 'replacement'" + text));
    return new Replacement(name, operands);
  }

  /** Operands: input, find, replacement. MongoDB does not compute it ahead. */
  private record Replacement(String name, List<Expression> operands) implements Expression {
    @Override
    public BsonValue evaluate(Scope scope) {
      String input = text(scope, 0, "input", ErrorCode.LOCATION_51746);
      String find = text(scope, 1, "find", ErrorCode.LOCATION_51745);
      String replacement = text(scope, 2, "replacement", ErrorCode.LOCATION_51744);
      if (input == null || find == null || replacement == null) {
        return BsonNull.VALUE;
      }
      return new BsonString(
          name.equals("$replaceAll")
              ? replaceAll(input, find, replacement)
              : replaceOne(input, find, replacement));
    }

    private @Nullable String text(Scope scope, int index, String field, ErrorCode code) {
      BsonValue value = operands.get(index).evaluate(scope);
      if (Truth.isNullish(value)) {
        return null;
      }
      if (!value.isString()) {
        throw new CommandException(
            code,
            String.format(
                "%s requires that '%s' be a string, found: %s",
                name, field, BsonText.aggregated(value)));
      }
      Work.count(value, scope.allowance());
      return value.asString().getValue();
    }

    private static String replaceOne(String input, String find, String replacement) {
      int at = Substrings.find(input, find, 0);
      return at < 0
          ? input
          : input.substring(0, at) + replacement + input.substring(at + find.length());
    }

    private static String replaceAll(String input, String find, String replacement) {
      var out = new StringBuilder();
      if (!find.isEmpty()) {
        Allowance allowance = Allowance.current();
        int copied = 0;
        for (int at = Substrings.find(input, find, 0);
            at >= 0;
            at = Substrings.find(input, find, copied)) {
          allowance.step();
          ValueSize.requireText((long) out.length() + at - copied + replacement.length());
          out.append(input, copied, at).append(replacement);
          copied = at + find.length();
        }
        return copied == 0 ? input : out.append(input, copied, input.length()).toString();
      }
      ValueSize.requireText(input.length() + (input.length() + 1L) * replacement.length());
      input.codePoints().forEach(c -> out.append(replacement).appendCodePoint(c));
      return out.append(replacement).toString();
    }

    @Override
    public Expression withOperands(List<Expression> others) {
      return new Replacement(name, List.copyOf(others));
    }
  }

  private static Expression parseTrim(String name, BsonValue argument, ParseContext context) {
    NamedArguments named = NamedArguments.parse(name, argument, context, TRIM);
    Expression input =
        named.required("input", ErrorCode.LOCATION_50695, "%s requires an 'input' field");
    boolean hasChars = named.has("chars");
    return new BinaryCall(
        (value, chars) -> trim(name, value, hasChars ? chars : new BsonString(WHITESPACE)),
        input,
        named.optional("chars"));
  }

  private static BsonValue trim(String name, @Nullable BsonValue input, @Nullable BsonValue chars) {
    if (Truth.isNullish(input)) {
      return BsonNull.VALUE;
    }
    if (!input.isString()) {
      throw new CommandException(
          ErrorCode.LOCATION_50699,
          String.format(
              "%s requires its input to be a string, got %s (of type %s) instead.",
              name, BsonText.aggregated(input), typeName(input)));
    }
    if (Truth.isNullish(chars)) {
      return BsonNull.VALUE;
    }
    if (!chars.isString()) {
      throw new CommandException(
          ErrorCode.LOCATION_50700,
          String.format(
              "%s requires 'chars' to be a string, got %s (of type %s) instead.",
              name, BsonText.aggregated(chars), typeName(chars)));
    }
    return new BsonString(trim(name, input.asString().getValue(), chars.asString().getValue()));
  }

  private static String trim(String name, String input, String chars) {
    int start = 0;
    int end = input.length();
    Allowance allowance = Allowance.current();
    long work = 1 + chars.length() / Substrings.CHARACTERS_PER_STEP;
    if (!name.equals("$rtrim")) {
      while (start < end && chars.indexOf(input.codePointAt(start)) >= 0) {
        allowance.steps(work);
        start += Character.charCount(input.codePointAt(start));
      }
    }
    if (!name.equals("$ltrim")) {
      while (end > start && chars.indexOf(input.codePointBefore(end)) >= 0) {
        allowance.steps(work);
        end -= Character.charCount(input.codePointBefore(end));
      }
    }
    return input.substring(start, end);
  }
}
