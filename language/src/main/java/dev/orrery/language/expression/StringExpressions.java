package dev.orrery.language.expression;

import static dev.orrery.language.error.BsonText.typeName;
import static java.util.Map.entry;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import dev.orrery.language.number.Numbers;
import dev.orrery.value.AsciiCase;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.bson.BsonArray;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Operators on strings by code point and by byte of UTF-8. Letters change case in ASCII only. */
public final class StringExpressions {
  static final Map<String, ExpressionOperator> OPERATORS =
      Map.ofEntries(
          entry(
              "$concat",
              Arguments.any(FunctionCall.Grouping.NEIGHBOURS, StringExpressions::concat)),
          entry("$indexOfBytes", Arguments.between(2, 4, StringExpressions::indexOfBytes)),
          entry("$indexOfCP", Arguments.between(2, 4, StringExpressions::indexOfCodePoints)),
          entry("$split", Arguments.binary(StringExpressions::split)),
          length("$strLenBytes", ErrorCode.LOCATION_34473, text -> utf8(text).length),
          length(
              "$strLenCP", ErrorCode.LOCATION_34471, text -> text.codePointCount(0, text.length())),
          entry("$strcasecmp", Arguments.binary(StringExpressions::compareIgnoringCase)),
          // $substr is another name: its messages speak of $substrBytes.
          entry("$substr", StringExpressions::parseSubstr),
          entry("$substrBytes", Arguments.ternary(StringExpressions::substrBytes)),
          entry("$substrCP", Arguments.ternary(StringExpressions::substrCodePoints)),
          entry(
              "$toLower", Arguments.unary(value -> text(AsciiCase.lower(Coercion.toText(value))))),
          entry(
              "$toUpper", Arguments.unary(value -> text(AsciiCase.upper(Coercion.toText(value))))));

  private StringExpressions() {}

  private static BsonString text(String text) {
    return new BsonString(text);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static BsonValue concat(@Nullable BsonValue[] values) {
    var all = new StringBuilder();
    for (BsonValue value : values) {
      if (Truth.isNullish(value)) {
        return BsonNull.VALUE;
      }
      if (!value.isString()) {
        throw new CommandException(
            ErrorCode.LOCATION_16702, "$concat only supports strings, not " + typeName(value));
      }
      String part = value.asString().getValue();
      ValueSize.requireText((long) all.length() + part.length());
      all.append(part);
    }
    return text(all.toString());
  }

  private static Map.Entry<String, ExpressionOperator> length(
      String name, ErrorCode code, ToIntFunction<String> measure) {
    return entry(
        name,
        Arguments.unary(
            value -> {
              if (value == null || !value.isString()) {
                throw new CommandException(
                    code, name + " requires a string argument, found: " + typeName(value));
              }
              return new BsonInt32(measure.applyAsInt(value.asString().getValue()));
            }));
  }

  private static BsonValue compareIgnoringCase(
      @Nullable BsonValue left, @Nullable BsonValue right) {
    byte[] a = utf8(AsciiCase.upper(Coercion.toText(left)));
    byte[] b = utf8(AsciiCase.upper(Coercion.toText(right)));
    return new BsonInt32(Integer.signum(Arrays.compareUnsigned(a, b)));
  }

  private static BsonValue split(@Nullable BsonValue input, @Nullable BsonValue separator) {
    if (Truth.isNullish(input) || Truth.isNullish(separator)) {
      return BsonNull.VALUE;
    }
    String rule = "$split requires an expression that evaluates to a string as a %s, found: %s";
    if (!input.isString()) {
      throw new CommandException(
          ErrorCode.LOCATION_40085, String.format(rule, "first argument", typeName(input)));
    }
    if (!separator.isString()) {
      throw new CommandException(
          ErrorCode.LOCATION_40086, String.format(rule, "second argument", typeName(separator)));
    }
    String text = input.asString().getValue();
    String needle = separator.asString().getValue();
    if (needle.isEmpty()) {
      throw new CommandException(ErrorCode.LOCATION_40087, "$split requires a non-empty separator");
    }
    var parts = new BsonArray();
    int start = 0;
    Allowance allowance = Allowance.current();
    try (var growing = new ValueSize.Growing(allowance)) {
      for (int at = Substrings.find(text, needle, 0);
          at >= 0;
          at = Substrings.find(text, needle, start)) {
        allowance.step();
        BsonString part = text(text.substring(start, at));
        growing.add(part);
        parts.add(part);
        start = at + needle.length();
      }
    }
    parts.add(text(text.substring(start)));
    return parts;
  }

  private static BsonValue indexOfBytes(@Nullable BsonValue[] values) {
    if (Truth.isNullish(values[0])) {
      return BsonNull.VALUE;
    }
    byte[] input = utf8(requireText("$indexOfBytes", "first", ErrorCode.LOCATION_40091, values[0]));
    byte[] token =
        utf8(requireText("$indexOfBytes", "second", ErrorCode.LOCATION_40092, values[1]));
    int start = start("$indexOfBytes", values);
    int end = end("$indexOfBytes", values, input.length);
    Allowance allowance = Allowance.current();
    for (int i = start; i <= end - token.length; i++) {
      allowance.step();
      int same = Arrays.mismatch(input, i, i + token.length, token, 0, token.length);
      if (same < 0) {
        return new BsonInt32(i);
      }
      allowance.steps(same / Substrings.CHARACTERS_PER_STEP);
    }
    return new BsonInt32(-1);
  }

  private static BsonValue indexOfCodePoints(@Nullable BsonValue[] values) {
    if (Truth.isNullish(values[0])) {
      return BsonNull.VALUE;
    }
    String input = requireText("$indexOfCP", "first", ErrorCode.LOCATION_40093, values[0]);
    String token = requireText("$indexOfCP", "second", ErrorCode.LOCATION_40094, values[1]);
    int start = start("$indexOfCP", values);
    int length = input.codePointCount(0, input.length());
    int end = end("$indexOfCP", values, length);
    if (input.isEmpty() && token.isEmpty() && start <= end) {
      return new BsonInt32(0);
    }
    if (start >= end) {
      return new BsonInt32(-1);
    }
    // A match may reach past the end; it only has to begin before it.
    int offset = input.offsetByCodePoints(0, start);
    Allowance allowance = Allowance.current();
    for (int i = start; i < end; i++) {
      allowance.step();
      if (Substrings.isAt(input, token, offset, allowance)) {
        return new BsonInt32(i);
      }
      offset = input.offsetByCodePoints(offset, 1);
    }
    return new BsonInt32(-1);
  }

  private static int start(String name, @Nullable BsonValue[] values) {
    return values.length > 2 ? ArrayExpressions.requireIndex(name, "starting", values[2]) : 0;
  }

  private static int end(String name, @Nullable BsonValue[] values, int length) {
    return values.length > 3
        ? Math.min(length, ArrayExpressions.requireIndex(name, "ending", values[3]))
        : length;
  }

  private static String requireText(
      String name, String which, ErrorCode code, @Nullable BsonValue value) {
    if (value == null || !value.isString()) {
      throw new CommandException(
          code,
          String.format(
              "%s requires a string as the %s argument, found: %s", name, which, typeName(value)));
    }
    return value.asString().getValue();
  }

  private static Expression parseSubstr(String name, BsonValue argument, ParseContext context) {
    return new FunctionCall(
        StringExpressions::substrBytes, Arguments.exactly(3, "$substrBytes", argument, context));
  }

  private static BsonValue substrBytes(@Nullable BsonValue[] values) {
    byte[] bytes = utf8(Coercion.toText(values[0]));
    String rule = "$substrBytes:  %s must be a numeric type (is BSON type %s)";
    if (!Numbers.isNumber(values[1])) {
      throw new CommandException(
          ErrorCode.LOCATION_16034, String.format(rule, "starting index", typeName(values[1])));
    }
    if (!Numbers.isNumber(values[2])) {
      throw new CommandException(
          ErrorCode.LOCATION_16035, String.format(rule, "length", typeName(values[2])));
    }
    long start = Numbers.requireLong(values[1]);
    if (start < 0) {
      throw new CommandException(
          ErrorCode.LOCATION_50752,
          "$substrBytes:  starting index must be non-negative (got: " + start + ")");
    }
    long length = Numbers.requireLong(values[2]);
    long wanted = length < 0 ? bytes.length : Math.min(length, bytes.length);
    if (start < bytes.length && isContinuation(bytes[(int) start])) {
      throw new CommandException(
          ErrorCode.LOCATION_28656,
          "$substrBytes:  Invalid range, starting index is a UTF-8 continuation byte.");
    }
    if (start >= bytes.length) {
      return text("");
    }
    long end = start + wanted;
    if (end < bytes.length && isContinuation(bytes[(int) end])) {
      throw new CommandException(
          ErrorCode.LOCATION_28657,
          "$substrBytes:  Invalid range, ending index is in the middle of a UTF-8 character.");
    }
    int size = (int) (Math.min(end, bytes.length) - start);
    return text(new String(bytes, (int) start, size, StandardCharsets.UTF_8));
  }

  private static boolean isContinuation(byte b) {
    return (b & 0xc0) == 0x80;
  }

  private static BsonValue substrCodePoints(@Nullable BsonValue[] values) {
    String input = Coercion.toText(values[0]);
    int start =
        requireInt("starting index", values[1], ErrorCode.LOCATION_34450, ErrorCode.LOCATION_34451);
    int length =
        requireInt("length", values[2], ErrorCode.LOCATION_34452, ErrorCode.LOCATION_34453);
    if (length < 0) {
      throw new CommandException(
          ErrorCode.LOCATION_34454, "$substrCP: length must be a nonnegative integer.");
    }
    if (start < 0) {
      throw new CommandException(
          ErrorCode.LOCATION_34455, "$substrCP: the starting index must be nonnegative integer.");
    }
    int size = input.codePointCount(0, input.length());
    if (start >= size) {
      return text("");
    }
    int from = input.offsetByCodePoints(0, start);
    int to = input.offsetByCodePoints(from, Math.min(length, size - start));
    return text(input.substring(from, to));
  }

  private static int requireInt(
      String what, @Nullable BsonValue value, ErrorCode type, ErrorCode range) {
    if (!Numbers.isNumber(value)) {
      throw new CommandException(
          type,
          String.format(
              "$substrCP: %s must be a numeric type (is BSON type %s)", what, typeName(value)));
    }
    if (!Numbers.isInt(value)) {
      throw new CommandException(
          range,
          String.format(
              "$substrCP: %s cannot be represented as a 32-bit integral value: %s",
              what, BsonText.aggregated(value)));
    }
    return (int) Numbers.toLong(value);
  }
}
