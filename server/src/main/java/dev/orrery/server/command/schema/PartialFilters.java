package dev.orrery.server.command.schema;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonRegularExpression;
import org.bson.BsonValue;

/**
 * Which filters a partial index may have. The filter was parsed before, so only its shape matters:
 * it becomes a tree as MongoDB builds it, which is checked, and printed when it is refused.
 */
final class PartialFilters {
  private static final int DEPTH_MAX = 4;
  private static final Set<String> ALLOWED =
      Set.of(
          "$eq",
          "$gt",
          "$gte",
          "$lt",
          "$lte",
          "$in",
          "exists",
          "$type",
          "$geoWithin",
          "$geoIntersects",
          "$within");

  private PartialFilters() {}

  /** One node: its operator, the line that stands for it, and its children. */
  private record Node(String operator, String text, List<Node> children) {
    void print(StringBuilder out, int depth) {
      out.append("    ".repeat(depth)).append(text).append('\n');
      children.forEach(child -> child.print(out, depth + 1));
    }
  }

  static void require(BsonDocument filter) {
    check(tree(filter), 0);
  }

  private static void check(Node node, int level) {
    if (level + 1 > DEPTH_MAX) {
      throw new CommandException(
          ErrorCode.CANNOT_CREATE_INDEX,
          "partialFilterExpression depth may not exceed " + DEPTH_MAX);
    }
    if (node.operator.equals("$and") || node.operator.equals("$or")) {
      node.children.forEach(child -> check(child, level + 1));
      return;
    }
    if (!ALLOWED.contains(node.operator)) {
      var text = new StringBuilder();
      node.print(text, 0);
      throw new CommandException(
          ErrorCode.CANNOT_CREATE_INDEX, "Expression not supported in partial index: " + text);
    }
  }

  /** A filter document; a conjunction of one is that one. */
  private static Node tree(BsonDocument filter) {
    var children = new ArrayList<Node>();
    for (Map.Entry<String, BsonValue> field : filter.entrySet()) {
      String name = field.getKey();
      if (name.equals("$and") || name.equals("$or") || name.equals("$nor")) {
        children.add(logical(name, field.getValue()));
      } else if (!name.equals("$comment")) {
        addField(name, field.getValue(), children);
      }
    }
    return children.size() == 1 ? children.get(0) : new Node("$and", "$and", children);
  }

  private static Node logical(String name, BsonValue value) {
    List<Node> clauses = value.asArray().stream().map(clause -> tree(clause.asDocument())).toList();
    return new Node(name, name, clauses);
  }

  private static void addField(String path, BsonValue value, List<Node> children) {
    if (isOperators(value)) {
      value.asDocument().forEach((name, operand) -> addOperator(path, name, operand, children));
    } else if (value.isRegularExpression()) {
      children.add(regex(path, value.asRegularExpression()));
    } else {
      children.add(comparison(path, "$eq", value));
    }
  }

  private static boolean isOperators(BsonValue value) {
    return value.isDocument()
        && !value.asDocument().isEmpty()
        && value.asDocument().getFirstKey().startsWith("$")
        && !value.asDocument().getFirstKey().equals("$ref");
  }

  private static void addOperator(
      String path, String name, BsonValue operand, List<Node> children) {
    switch (name) {
      case "$ne" -> children.add(not(comparison(path, "$eq", operand)));
      case "$in" -> children.add(in(path, operand));
      case "$nin" -> children.add(not(in(path, operand)));
      case "$exists" -> {
        var exists = new Node("exists", path + " exists", List.of());
        children.add(isTrue(operand) ? exists : not(exists));
      }
      case "$not" -> children.add(not(negated(path, operand)));
      case "$all" -> {
        List<Node> all = new ArrayList<>();
        operand.asArray().forEach(value -> addField(path, value, all));
        children.add(new Node("$and", "$and", all));
      }
      case "$elemMatch" -> children.add(element(path, operand.asDocument()));
      case "$size" -> children.add(leaf(name, path + " $size : " + BsonText.stored(operand)));
      case "$mod" ->
          children.add(
              leaf(
                  name,
                  "%s mod %s %% x == %s"
                      .formatted(
                          path,
                          BsonText.stored(operand.asArray().get(0)),
                          BsonText.stored(operand.asArray().get(1)))));
      case "$regex" -> children.add(regex(path, operand));
      case "$options" -> {}
      default -> children.add(comparison(path, name, operand));
    }
  }

  private static Node negated(String path, BsonValue operand) {
    if (operand.isRegularExpression()) {
      return regex(path, operand.asRegularExpression());
    }
    var operators = new ArrayList<Node>();
    addField(path, operand, operators);
    return new Node("$and", "$and", operators);
  }

  private static Node element(String path, BsonDocument operand) {
    if (!isOperators(operand)) {
      return new Node("$elemMatch", path + " $elemMatch (obj)", List.of(tree(operand)));
    }
    var operators = new ArrayList<Node>();
    addField("", operand, operators);
    return new Node("$elemMatch", path + " $elemMatch (value)", operators);
  }

  private static Node in(String path, BsonValue operand) {
    var text = new StringBuilder(path).append(" $in [ ");
    operand.asArray().forEach(value -> text.append(BsonText.stored(value)).append(' '));
    return leaf("$in", text.append(']').toString());
  }

  private static Node regex(String path, BsonValue pattern) {
    if (pattern instanceof BsonRegularExpression regex) {
      return leaf("$regex", path + " regex /" + regex.getPattern() + "/" + regex.getOptions());
    }
    return leaf("$regex", path + " regex /" + pattern.asString().getValue() + "/");
  }

  private static Node comparison(String path, String operator, BsonValue operand) {
    return leaf(operator, path + " " + operator + " " + BsonText.stored(operand));
  }

  private static Node not(Node child) {
    return new Node("$not", "$not", List.of(child));
  }

  private static Node leaf(String operator, String text) {
    return new Node(operator, text, List.of());
  }

  private static boolean isTrue(BsonValue value) {
    if (value.isBoolean()) {
      return value.asBoolean().getValue();
    }
    return value.isNumber() ? value.asNumber().doubleValue() != 0 : !value.isNull();
  }
}
