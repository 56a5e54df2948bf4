package dev.orrery.language.query;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.expression.Expressions;
import dev.orrery.language.expression.Scope;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * Why a document does not satisfy a validator: the {@code details} of error 121. It reads the
 * validator once more, clause by clause, and asks each whether it is to blame.
 */
public final class ValidationFailure {
  /** What an operator that compares says when it fails, and under {@code $not} when it holds. */
  private record Reason(String failed, String held) {}

  private static final Reason COMPARISON = new Reason("comparison failed", "comparison succeeded");
  private static final Reason MEMBERSHIP =
      new Reason("no matching value found in array", "matching value found in array");
  private static final Reason EXISTENCE = new Reason("path does not exist", "path does exist");
  private static final Reason BITS =
      new Reason("bitwise operator failed to match", "bitwise operator matched successfully");

  private static final Map<String, Reason> REASONS =
      Map.ofEntries(
          Map.entry(
              "$all",
              new Reason(
                  "array did not contain all specified values",
                  "array did contain all specified values")),
          Map.entry("$bitsAllClear", BITS),
          Map.entry("$bitsAllSet", BITS),
          Map.entry("$bitsAnyClear", BITS),
          Map.entry("$bitsAnySet", BITS),
          Map.entry(
              "$elemMatch",
              new Reason(
                  "array did not satisfy the child predicate",
                  "array did satisfy the child predicate")),
          Map.entry("$eq", COMPARISON),
          Map.entry("$exists", EXISTENCE),
          Map.entry("$gt", COMPARISON),
          Map.entry("$gte", COMPARISON),
          Map.entry("$in", MEMBERSHIP),
          Map.entry("$lt", COMPARISON),
          Map.entry("$lte", COMPARISON),
          Map.entry(
              "$mod",
              new Reason(
                  "$mod did not evaluate to expected remainder",
                  "$mod did evaluate to expected remainder")),
          Map.entry("$ne", COMPARISON),
          Map.entry("$nin", MEMBERSHIP),
          Map.entry(
              "$regex",
              new Reason("regular expression did not match", "regular expression did match")),
          Map.entry(
              "$size",
              new Reason(
                  "array length was not equal to given size",
                  "array length was equal to given size")),
          Map.entry("$type", new Reason("type did not match", "type did match")));

  private static final Set<String> NUMBERS = Set.of("decimal", "double", "int", "long");
  private static final Set<String> BIT_TYPES =
      Set.of("binData", "decimal", "double", "int", "long");

  /** The types that an operator can match at all; others accept every type. */
  private static final Map<String, Set<String>> EXPECTED_TYPES =
      Map.of(
          "$bitsAllClear", BIT_TYPES,
          "$bitsAllSet", BIT_TYPES,
          "$bitsAnyClear", BIT_TYPES,
          "$bitsAnySet", BIT_TYPES,
          "$elemMatch", Set.of("array"),
          "$mod", NUMBERS,
          "$regex", Set.of("regex", "string", "symbol"),
          "$size", Set.of("array"));

  private static final Set<String> WHOLE_ARRAYS = Set.of("$all", "$elemMatch", "$size");

  private final RawDocument document;
  private final FilterContext context;

  private ValidationFailure(RawDocument document, FilterContext context) {
    this.document = document;
    this.context = context;
  }

  /** The details for a document that the validator does not match. */
  public static BsonDocument explain(
      RawDocument validator, RawDocument document, FilterContext context) {
    return new ValidationFailure(document, context).explain(clauses(validator), false);
  }

  /** One clause of a filter: {@code {a: {$gt: 1}}}, {@code {a: 5}} or {@code {$or: [...]}}. */
  private static List<BsonDocument> clauses(RawDocument filter) {
    var clauses = new ArrayList<BsonDocument>();
    var elements = filter.elements();
    while (elements.next()) {
      String name = elements.name();
      var value = elements.value();
      if (!name.startsWith("$") && FilterParser.isOperatorDocument(value)) {
        clauses.addAll(operatorClauses(name, value.toBsonValue().asDocument()));
      } else if (!name.equals("$comment")) {
        clauses.add(new BsonDocument(name, value.toBsonValue()));
      }
    }
    return clauses;
  }

  private static List<BsonDocument> operatorClauses(String path, BsonDocument operators) {
    var clauses = new ArrayList<BsonDocument>();
    operators.forEach(
        (name, value) -> {
          if (name.equals("$regex")) {
            clauses.add(new BsonDocument(path, operators)); // with its $options
          } else if (!name.equals("$options")) {
            clauses.add(new BsonDocument(path, new BsonDocument(name, value)));
          }
        });
    return clauses;
  }

  /** Explains a conjunction: its only clause by itself, or those that are to blame. */
  private BsonDocument explain(List<BsonDocument> clauses, boolean isInverted) {
    if (clauses.size() == 1) {
      return explainClause(clauses.get(0), isInverted);
    }
    return explainList("$and", clauses, isInverted);
  }

  private BsonDocument explainList(
      String operator, List<BsonDocument> clauses, boolean isInverted) {
    var failures = new BsonArray();
    for (int i = 0; i < clauses.size(); i++) {
      if (matches(clauses.get(i)) == isInverted) {
        failures.add(
            new BsonDocument("index", new BsonInt64(i))
                .append("details", explain(clauses(RawDocument.of(clauses.get(i))), isInverted)));
      }
    }
    return FailureText.of(operator)
        .add(isInverted ? "clausesSatisfied" : "clausesNotSatisfied", failures)
        .build();
  }

  private boolean matches(BsonDocument clause) {
    return FilterParser.parse(clause, context).matches(document);
  }

  private BsonDocument explainClause(BsonDocument clause, boolean isInverted) {
    String name = clause.getFirstKey();
    var value = clause.get(name);
    return switch (name) {
      case "$and", "$or" -> explainList(name, documents(value), isInverted);
      case "$nor" -> explainList(name, documents(value), !isInverted);
      case "$expr" -> explainExpression(clause, isInverted);
      case "$jsonSchema" ->
          isInverted
              ? FailureText.of(name).reason("schema matched").build()
              : JsonSchema.parse(RawDocument.of(value.asDocument())).explain(document);
      case "$alwaysFalse", "$alwaysTrue" ->
          FailureText.of(name)
              .specifiedAs(clause)
              .reason("expression always evaluates to " + isInverted)
              .build();
      default -> explainField(name, value, clause, isInverted);
    };
  }

  private static List<BsonDocument> documents(BsonValue array) {
    return array.asArray().stream().map(BsonValue::asDocument).toList();
  }

  private BsonDocument explainExpression(BsonDocument clause, boolean isInverted) {
    var failure = FailureText.of("$expr").specifiedAs(clause);
    try {
      var result =
          Expressions.parse(clause.get("$expr"), context.expressions())
              .evaluate(new Scope(document.toBsonDocument()));
      failure.reason(isInverted ? "expression did match" : "expression did not match");
      return result == null ? failure.build() : failure.add("expressionResult", result).build();
    } catch (CommandException e) {
      if (e.code().isInterruption()) {
        throw e;
      }
      return failure
          .reason("failed to evaluate aggregation expression")
          .add(
              "details",
              new BsonDocument("code", new BsonInt32(e.code().number()))
                  .append("codeName", new BsonString(e.code().codeName()))
                  .append("errmsg", new BsonString(e.getMessage())))
          .build();
    }
  }

  private BsonDocument explainField(
      String path, BsonValue value, BsonDocument clause, boolean isInverted) {
    if (!FilterParser.isOperatorDocument(RawValue.of(value))) {
      String operator = value.isRegularExpression() ? "$regex" : "$eq";
      return explainOperator(operator, path, clause, isInverted);
    }
    var operators = value.asDocument();
    String operator = operators.containsKey("$regex") ? "$regex" : operators.getFirstKey();
    if (operator.equals("$not")) {
      return FailureText.of("$not")
          .add("details", explainNegated(path, operators.get("$not"), !isInverted))
          .build();
    }
    boolean isNegative =
        operator.equals("$ne")
            || operator.equals("$nin")
            || (operator.equals("$exists")
                && !ValueTypes.isTrue(RawValue.of(operators.get(operator))));
    return explainOperator(operator, path, clause, isNegative != isInverted);
  }

  private BsonDocument explainNegated(String path, BsonValue argument, boolean isInverted) {
    var clauses =
        argument.isDocument()
            ? operatorClauses(path, argument.asDocument())
            : List.of(new BsonDocument(path, argument));
    return explain(clauses, isInverted);
  }

  private BsonDocument explainOperator(
      String operator, String path, BsonDocument clause, boolean isInverted) {
    var failure = FailureText.of(operator).specifiedAs(clause);
    var reason = REASONS.get(operator);
    String words = isInverted ? reason.held() : reason.failed();
    if (operator.equals("$exists")) {
      return failure.reason(words).build();
    }
    var values = new ArrayList<RawValue>();
    if (!collect(path, WHOLE_ARRAYS.contains(operator), values)) {
      return failure.reason("field was missing").build();
    }
    addTypeMismatch(failure, EXPECTED_TYPES.get(operator), values);
    failure.reason(words).considered(values);
    return operator.equals("$type") ? failure.consideredTypes(values).build() : failure.build();
  }

  private static void addTypeMismatch(
      FailureText failure, Set<String> expected, List<RawValue> values) {
    boolean isExpected =
        expected == null
            || values.stream()
                .anyMatch(value -> expected.contains(BsonText.typeName(value.toBsonValue())));
    if (!isExpected) {
      failure
          .reason("type did not match")
          .consideredTypes(values)
          .addNames("expectedType", new TreeSet<>(expected));
    }
  }

  /** The values that a path leads to, arrays only if they are wanted; false if it is missing. */
  private boolean collect(String path, boolean wantsArrays, List<RawValue> values) {
    var leaves = wantsArrays ? FieldPath.LeafArrays.KEEP : FieldPath.LeafArrays.EXPAND;
    boolean[] isPresent = {false};
    FieldPath.parse(path)
        .visit(
            document,
            leaves,
            (value, index) -> {
              isPresent[0] |= value != null;
              if (value != null && (wantsArrays || value.type() != RawTypes.ARRAY)) {
                values.add(value);
              }
              return value == null || values.size() > FailureText.VALUES_MAX;
            });
    return isPresent[0];
  }
}
