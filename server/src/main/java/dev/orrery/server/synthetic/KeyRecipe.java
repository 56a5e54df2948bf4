package dev.orrery.server.synthetic;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * A synthetic key as steps that any language can take: texts of fields and constants one behind the
 * other, and perhaps a suffix.
 *
 * @param spread the field that decides about the suffix; null if chance does or there is none
 * @param count how many suffixes there are; 0 without one
 */
record KeyRecipe(String name, List<Part> parts, @Nullable String spread, int count) {
  /** A field, or a constant text. */
  record Part(boolean isField, String text) {}

  private static final Set<String> SUFFIXES = Set.of("$hashSuffix", "$randomSuffix");

  /**
   * The steps of a definition.
   *
   * @throws CommandException if it is wrong, or uses other operators
   */
  static KeyRecipe of(BsonDocument definition) {
    String name = SyntheticKey.parse(definition).name();
    BsonValue expression = definition.get(name);
    String operator = operator(expression);
    var parts = new ArrayList<Part>();
    if (operator == null || !SUFFIXES.contains(operator)) {
      add(expression, parts);
      return new KeyRecipe(name, parts, null, 0);
    }
    BsonArray arguments = expression.asDocument().getArray(operator);
    add(arguments.get(0), parts);
    int count = arguments.get(arguments.size() - 1).asNumber().intValue();
    if (operator.equals("$randomSuffix")) {
      return new KeyRecipe(name, parts, null, count);
    }
    var spread = new ArrayList<Part>();
    add(arguments.get(1), spread);
    if (spread.size() != 1 || !spread.get(0).isField()) {
      throw other("$hashSuffix of more than a field");
    }
    return new KeyRecipe(name, parts, spread.get(0).text(), count);
  }

  private static @Nullable String operator(BsonValue value) {
    boolean isOne = value.isDocument() && value.asDocument().size() == 1;
    return isOne ? value.asDocument().getFirstKey() : null;
  }

  private static void add(BsonValue value, List<Part> parts) {
    if (value.isString()) {
      String text = value.asString().getValue();
      if (text.startsWith("$$")) {
        throw other(text);
      }
      boolean isField = text.startsWith("$");
      parts.add(new Part(isField, isField ? text.substring(1) : text));
      return;
    }
    String operator = operator(value);
    BsonValue argument = operator == null ? null : value.asDocument().get(operator);
    if ("$concat".equals(operator) && argument.isArray()) {
      argument.asArray().forEach(one -> add(one, parts));
    } else if ("$toString".equals(operator)) {
      add(argument, parts);
    } else if ("$literal".equals(operator) && argument.isString()) {
      parts.add(new Part(false, argument.asString().getValue()));
    } else {
      throw other(operator == null ? "a constant that is no text" : operator);
    }
  }

  private static CommandException other(String what) {
    return new CommandException(
        ErrorCode.BAD_VALUE,
        "a key made by "
            + what
            + " cannot be written for clients, only one of fields, texts, $concat, $toString and"
            + " one of $hashSuffix and $randomSuffix around them");
  }
}
