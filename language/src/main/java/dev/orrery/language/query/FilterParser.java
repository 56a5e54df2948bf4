package dev.orrery.language.query;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;

/** Compiles filter documents: all errors are found here, matching only computes. */
public final class FilterParser {
  /** MongoDB's limit on the components of a path. */
  private static final int PATH_PARTS_MAX = 180;

  private FilterParser() {}

  public static Filter parse(RawDocument filter) {
    return parse(filter, FilterContext.DEFAULT);
  }

  public static Filter parse(BsonDocument filter) {
    return parse(RawDocument.of(filter), FilterContext.DEFAULT);
  }

  public static Filter parse(BsonDocument filter, FilterContext context) {
    return parse(RawDocument.of(filter), context);
  }

  public static Filter parse(RawDocument filter, FilterContext context) {
    return parseDocument(filter, new OperatorCall.Scope(context, false));
  }

  static Filter parseDocument(RawDocument filter, OperatorCall.Scope scope) {
    var children = new ArrayList<Filter>();
    var elements = filter.elements();
    while (elements.next()) {
      String name = elements.name();
      if (name.startsWith("$")) {
        add(children, topLevelOperator(name).parse(name, elements.value(), scope));
      } else {
        parseField(name, elements.value(), scope, children);
      }
    }
    return all(children);
  }

  private static void parseField(
      String name, RawValue value, OperatorCall.Scope scope, List<Filter> children) {
    var path = FieldPath.parse(name);
    if (path.size() > PATH_PARTS_MAX) {
      throw new CommandException(ErrorCode.LOCATION_5729100, "FieldPath is too long");
    }
    if (isOperatorDocument(value)) {
      parseOperators(path, value.asDocument(), scope, children);
    } else if (value.type() == RawTypes.REGEX) {
      children.add(new Filter.Field(path, Regex.of(value)));
    } else {
      children.add(ComparisonFilters.equal(path, value, scope.context().order()));
    }
  }

  /** Parses {@code {$gt: 1, $lt: 5}} on one path; each operator adds a child. */
  static void parseOperators(
      FieldPath path, RawDocument operators, OperatorCall.Scope scope, List<Filter> children) {
    Filter near = GeoFilters.parseNear(path, operators, scope);
    if (near != null) {
      children.add(near);
      return;
    }
    var elements = operators.elements();
    while (elements.next()) {
      String name = elements.name();
      var operator = FilterOperators.ON_FIELDS.get(name);
      if (operator == null) {
        throw unknownOperator(name);
      }
      add(
          children,
          operator.parse(new OperatorCall(path, name, elements.value(), operators, scope)));
    }
  }

  private static TopLevelOperator topLevelOperator(String name) {
    var operator = FilterOperators.AT_TOP_LEVEL.get(name);
    if (operator == null) {
      String hint =
          name.equals("$not")
              ? "If you are trying to negate an entire expression, use $nor."
              : "If you have a field name that starts with a '$' symbol, consider using $getField"
                  + " or $setField.";
      throw badValue("unknown top level operator: " + name + ". " + hint);
    }
    return operator;
  }

  private static CommandException unknownOperator(String name) {
    return badValue(
        name.equals("$where")
            ? "$where cannot be applied to a field"
            : "unknown operator: " + name);
  }

  /** Whether {@code {a: value}} applies operators to a, instead of comparing it with value. */
  static boolean isOperatorDocument(RawValue value) {
    return startsWithDollar(value) && !isReference(value.asDocument(), false);
  }

  /** Whether a value is a document whose first field has an operator's name. */
  static boolean startsWithDollar(RawValue value) {
    if (!value.isDocument()) {
      return false;
    }
    var elements = value.asDocument().elements();
    return elements.next()
        && elements.nameLength() > 0
        && value.bytes()[elements.nameOffset()] == '$';
  }

  /** Whether a document is a DBRef; one of its fields suffices if it may be incomplete. */
  static boolean isReference(RawDocument document, boolean mayBeIncomplete) {
    boolean hasCollection = document.field("$ref") != null;
    boolean hasId = document.field("$id") != null;
    return mayBeIncomplete
        ? hasCollection || hasId || document.field("$db") != null
        : hasCollection && hasId;
  }

  /** A conjunction without needless levels, its clauses in MongoDB's order. */
  static Filter all(List<Filter> children) {
    if (children.size() == 1) {
      return children.get(0);
    }
    var clauses = new ArrayList<Filter>(children.size());
    for (var child : children) {
      if (child instanceof Filter.And and) {
        clauses.addAll(and.children());
      } else {
        clauses.add(child);
      }
    }
    clauses.sort(FilterOrder.of(clauses.size()));
    return new Filter.And(clauses);
  }

  private static void add(List<Filter> children, Filter filter) {
    if (filter != null) {
      children.add(filter);
    }
  }

  static CommandException badValue(String message) {
    return new CommandException(ErrorCode.BAD_VALUE, message);
  }
}
