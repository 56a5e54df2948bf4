package dev.orrery.language.query;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.Expression;
import dev.orrery.language.expression.Expressions;
import dev.orrery.language.expression.FieldNames;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * Reads a projection document into a tree of nodes, and tells whether it lists what to keep or what
 * to leave out. Finds every contradiction: paths that collide, inclusions among exclusions.
 */
final class ProjectionParser {
  private static final String POSITIONAL = ".$";
  private static final String MIDDLE_POSITIONAL =
      "As of 4.4, it's illegal to specify positional operator in the middle of a path."
          + "Positional projection may only be used at the end, for example: a.b.$. If the query"
          + " previously used a form like a.b.$.d, remove the parts following the '$' and the"
          + " results will be equivalent.";

  private final FilterContext context;
  private final boolean isFind;
  private final ProjectionNode.Inner root = new ProjectionNode.Inner();

  private boolean hasPositional;
  private boolean hasElementMatch;
  private boolean hasSlice;
  private boolean hasMetadata;
  private boolean isIdIncluded;
  private boolean isIdExcluded;
  private boolean isIdNamed;

  /** Whether fields are kept (true) or left out (false); null while nothing decided it. */
  private @Nullable Boolean isInclusion;

  ProjectionParser(FilterContext context, boolean isFind) {
    this.context = context;
    this.isFind = isFind;
  }

  void parse(BsonDocument projection) {
    for (var field : projection.entrySet()) {
      isIdNamed |= field.getKey().equals("_id") || field.getKey().startsWith("_id.");
      parseElement(field.getKey(), field.getValue(), root);
    }
    if (isInclusion == null) {
      isInclusion = impliedType();
    }
    if (isInclusion && !isIdNamed) {
      root.children().put("_id", new ProjectionNode.Selection(true));
    }
    if (!isInclusion && isIdIncluded) {
      root.children().remove("_id"); // said in vain: it is kept anyway
    }
  }

  ProjectionNode.Inner root() {
    return root;
  }

  boolean isInclusion() {
    return Boolean.TRUE.equals(isInclusion);
  }

  /** What a projection is that only has an {@code _id}, or operators that go with both. */
  private boolean impliedType() {
    if (hasSlice) {
      return isIdIncluded;
    }
    if (hasElementMatch) {
      return true;
    }
    if (hasMetadata) {
      return !isFind || (isIdIncluded && !isIdExcluded);
    }
    return isIdIncluded;
  }

  private void parseElement(String name, BsonValue value, ProjectionNode.Inner parent) {
    boolean isPositional = name.endsWith(POSITIONAL);
    if (isPositional && !isFind) {
      throw error(
          ErrorCode.LOCATION_31324, "Cannot use positional projection in aggregation projection");
    }
    if (name.contains(".$.")) {
      throw error(ErrorCode.LOCATION_31394, MIDDLE_POSITIONAL);
    }
    if (value.isDocument()) {
      if (isPositional) {
        throw error(
            ErrorCode.LOCATION_31271,
            "positional projection cannot be used with an expression or sub object");
      }
      parseDocument(name, value.asDocument(), parent);
    } else if (isSelection(value)) {
      parseSelection(name, value, parent);
    } else if (isPositional) {
      throw error(ErrorCode.LOCATION_31308, "positional projection cannot be used with a literal");
    } else {
      parseLiteral(name, value, parent);
    }
  }

  private static boolean isSelection(BsonValue value) {
    return switch (value.getBsonType()) {
      case BOOLEAN, INT32, INT64, DOUBLE, DECIMAL128 -> true;
      default -> false;
    };
  }

  private void parseSelection(String name, BsonValue value, ProjectionNode.Inner parent) {
    boolean isIncluded = ValueTypes.isTrue(RawValue.of(value));
    boolean isPositional = name.endsWith(POSITIONAL);
    boolean isId = name.equals("_id") && parent == root;
    if (isPositional && !isIncluded) {
      throw error(ErrorCode.LOCATION_31395, "positional projection cannot be used with exclusion");
    }
    if (isPositional) {
      parsePositional(name, parent);
    } else {
      add(parent, name, new ProjectionNode.Selection(isIncluded));
    }
    if (isId) {
      isIdIncluded |= isIncluded;
      isIdExcluded |= !isIncluded;
      return;
    }
    if (isIncluded && Boolean.FALSE.equals(isInclusion)) {
      throw error(
          ErrorCode.LOCATION_31253,
          "Cannot do inclusion on field " + name + " in exclusion projection");
    }
    if (!isIncluded && Boolean.TRUE.equals(isInclusion)) {
      throw error(
          ErrorCode.LOCATION_31254,
          "Cannot do exclusion on field " + name + " in inclusion projection");
    }
    isInclusion = isIncluded;
  }

  private void parsePositional(String name, ProjectionNode.Inner parent) {
    if (hasPositional) {
      throw error(
          ErrorCode.LOCATION_31276,
          "Cannot specify more than one positional projection per query.");
    }
    if (hasElementMatch) {
      throw error(ErrorCode.LOCATION_31256, "Cannot specify positional operator and $elemMatch.");
    }
    if (name.equals(POSITIONAL)) {
      throw error(ErrorCode.LOCATION_5392900, "Projection on field " + name + " is invalid");
    }
    String path = name.substring(0, name.length() - POSITIONAL.length());
    add(parent, path, new ProjectionNode.Positional());
    hasPositional = true;
  }

  private void parseLiteral(String name, BsonValue value, ProjectionNode.Inner parent) {
    var expression = parseExpression(value);
    add(parent, name, new ProjectionNode.Computed(expression));
    if (Boolean.FALSE.equals(isInclusion)) {
      throw error(
          ErrorCode.LOCATION_31310,
          "Cannot use an expression "
              + BsonText.element(name, value)
              + " in an exclusion projection");
    }
    isInclusion = true;
  }

  private Expression parseExpression(BsonValue value) {
    return Expressions.parse(value, context.expressions());
  }

  private void parseDocument(String name, BsonDocument value, ProjectionNode.Inner parent) {
    if (value.isEmpty()) {
      throw error(
          ErrorCode.LOCATION_51270,
          "An empty sub-projection is not a valid value. Found empty object at path");
    }
    FieldNames.split(name);
    String first = value.getFirstKey();
    if (value.size() == 1 && first.startsWith("$")) {
      if (parseOperator(name, value, parent)) {
        return;
      }
      requirePath(first);
    }
    var inner = innerAt(parent, name);
    for (var field : value.entrySet()) {
      parseElement(field.getKey(), field.getValue(), inner);
    }
  }

  /** A name with a dollar that is no operator is still one of the fields of a DBRef. */
  private static void requirePath(String name) {
    try {
      boolean isPositional = name.endsWith(POSITIONAL);
      int end = name.length() - (isPositional ? POSITIONAL.length() : 0);
      FieldNames.split(name.substring(0, end));
    } catch (CommandException e) {
      throw error(ErrorCode.LOCATION_31325, "Unknown expression " + name);
    }
  }

  /** Reads {@code {$operator: ...}} as an expression; false if there is no such operator. */
  private boolean parseOperator(String name, BsonDocument value, ProjectionNode.Inner parent) {
    String operator = value.getFirstKey();
    if (operator.equals("$elemMatch")) {
      parseElementMatch(name, value, parent);
      return true;
    }
    if (!operator.equals("$slice") || !isFind) {
      return parseComputed(name, value, parent);
    }
    try {
      add(parent, name, ProjectionSlice.parse(value.get(operator)));
      hasSlice = true;
      return true;
    } catch (CommandException notFind) {
      return parseSliceExpression(name, value, parent, notFind);
    }
  }

  /** {@code $slice} that is not find's may be the expression of that name. */
  private boolean parseSliceExpression(
      String name, BsonDocument value, ProjectionNode.Inner parent, CommandException notFind) {
    try {
      return parseComputed(name, value, parent);
    } catch (CommandException e) {
      throw new CommandException(
          e.code(),
          "Invalid $slice syntax. The given syntax "
              + BsonText.document(value)
              + " did not match the find() syntax because :: "
              + notFind.code().codeName()
              + ": "
              + notFind.getMessage()
              + " :: The given syntax did not match the expression $slice syntax."
              + " :: caused by :: "
              + e.getMessage());
    }
  }

  private void parseElementMatch(String name, BsonDocument value, ProjectionNode.Inner parent) {
    if (!isFind) {
      throw new CommandException(
          ErrorCode.INVALID_PIPELINE_OPERATOR, "Cannot use $elemMatch in this context");
    }
    var condition = value.get("$elemMatch");
    if (!condition.isDocument()) {
      throw error(
          ErrorCode.LOCATION_31274,
          "elemMatch: Invalid argument, object required, but got " + BsonText.typeName(condition));
    }
    if (hasPositional) {
      throw error(ErrorCode.LOCATION_31255, "Cannot specify positional operator and $elemMatch.");
    }
    if (parent != root || name.indexOf('.') >= 0) {
      throw error(ErrorCode.LOCATION_31275, "Cannot use $elemMatch projection on a nested field.");
    }
    var filter =
        FilterParser.parse(
            RawDocument.of(new BsonDocument(name, value)), context.allowing(Set.of()));
    add(parent, name, new ProjectionNode.ElementMatch(filter));
    hasElementMatch = true;
  }

  private boolean parseComputed(String name, BsonDocument value, ProjectionNode.Inner parent) {
    String operator = value.getFirstKey();
    if (!Expressions.isOperator(operator)) {
      return false;
    }
    boolean isMetadata = operator.equals("$meta");
    if (Boolean.FALSE.equals(isInclusion) && !isMetadata) {
      throw error(
          ErrorCode.LOCATION_31252,
          "Cannot use expression other than $meta in exclusion projection");
    }
    if (!isMetadata) {
      isInclusion = true;
    }
    add(parent, name, new ProjectionNode.Computed(parseExpression(value)));
    hasMetadata |= isMetadata;
    return true;
  }

  private static ProjectionNode.Inner innerAt(ProjectionNode.Inner parent, String path) {
    ProjectionNode node = parent;
    for (String name : FieldNames.split(path)) {
      node = node instanceof ProjectionNode.Inner inner ? inner.children().get(name) : null;
    }
    if (node instanceof ProjectionNode.Inner inner) {
      return inner;
    }
    var inner = new ProjectionNode.Inner();
    add(parent, path, inner);
    return inner;
  }

  private static void add(ProjectionNode.Inner parent, String path, ProjectionNode node) {
    List<String> names = FieldNames.split(path);
    var inner = parent;
    for (String name : names.subList(0, names.size() - 1)) {
      var child = inner.children().computeIfAbsent(name, key -> new ProjectionNode.Inner());
      if (!(child instanceof ProjectionNode.Inner next)) {
        throw error(
            ErrorCode.LOCATION_31249,
            "Path collision at "
                + path
                + " remaining portion "
                + path.substring(path.indexOf('.') + 1));
      }
      inner = next;
    }
    if (inner.children().putIfAbsent(names.get(names.size() - 1), node) != null) {
      throw error(ErrorCode.LOCATION_31250, "Path collision at " + path);
    }
  }

  private static CommandException error(ErrorCode code, String message) {
    return new CommandException(code, message);
  }
}
