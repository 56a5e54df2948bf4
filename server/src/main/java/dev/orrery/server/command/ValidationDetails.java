package dev.orrery.server.command;

import dev.orrery.server.error.BsonText;
import dev.orrery.server.query.FilterParser;
import dev.orrery.storage.value.FieldPath;
import dev.orrery.storage.value.RawDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * Why a document failed its collection's validator, as MongoDB explains it: the clauses that did
 * not hold, and the values they looked at. Under a negation the clauses that did hold are meant.
 */
final class ValidationDetails {
  /** The words for a condition that should have held, and for one that should not have. */
  private record Reason(String failed, String succeeded) {}

  private static final Reason COMPARISON = new Reason("comparison failed", "comparison succeeded");
  private static final Reason BITS =
      new Reason("bitwise operator failed to match", "bitwise operator matched successfully");
  private static final Reason IN =
      new Reason("no matching value found in array", "matching value found in array");
  private static final Reason REGEX =
      new Reason("regular expression did not match", "regular expression did match");
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
          Map.entry("$exists", new Reason("path does not exist", "path does exist")),
          Map.entry("$in", IN),
          Map.entry(
              "$mod",
              new Reason(
                  "$mod did not evaluate to expected remainder",
                  "$mod did evaluate to expected remainder")),
          Map.entry("$nin", new Reason(IN.succeeded, IN.failed)),
          Map.entry("$ne", new Reason(COMPARISON.succeeded, COMPARISON.failed)),
          Map.entry("$regex", REGEX),
          Map.entry(
              "$size",
              new Reason(
                  "array length was not equal to given size",
                  "array length was equal to given size")),
          Map.entry("$type", new Reason("type did not match", "type did match")));

  private final BsonDocument document;
  private final RawDocument raw;
  private final boolean isNegated;

  private ValidationDetails(BsonDocument document, RawDocument raw, boolean isNegated) {
    this.document = document;
    this.raw = raw;
    this.isNegated = isNegated;
  }

  static BsonDocument of(BsonDocument expression, BsonDocument document) {
    var details = new ValidationDetails(document, RawDocument.of(document), false);
    return details.conjunction(expression);
  }

  /** One condition on one path, or one operator without a path. */
  private record Clause(String name, @Nullable String operator, BsonValue operand) {
    BsonDocument written() {
      return new BsonDocument(
          name, operator == null ? operand : new BsonDocument(operator, operand));
    }
  }

  private BsonDocument conjunction(BsonDocument expression) {
    List<Clause> clauses = clauses(expression);
    return clauses.size() == 1 ? explain(clauses.get(0)) : junction("$and", clauses);
  }

  private static List<Clause> clauses(BsonDocument expression) {
    var clauses = new ArrayList<Clause>();
    expression.forEach(
        (name, value) -> {
          boolean hasOperators =
              !name.startsWith("$")
                  && value.isDocument()
                  && !value.asDocument().isEmpty()
                  && value.asDocument().getFirstKey().startsWith("$");
          if (hasOperators) {
            value
                .asDocument()
                .forEach((operator, operand) -> clauses.add(new Clause(name, operator, operand)));
          } else {
            clauses.add(new Clause(name, null, value));
          }
        });
    clauses.removeIf(clause -> "$options".equals(clause.operator));
    return clauses;
  }

  /** Those of several clauses that are to blame, by their position. */
  private BsonDocument junction(String name, List<Clause> clauses) {
    var blamed = new BsonArray();
    for (int i = 0; i < clauses.size(); i++) {
      if (holds(clauses.get(i).written()) == isNegated) {
        blamed.add(
            new BsonDocument("index", new BsonInt32(i)).append("details", explain(clauses.get(i))));
      }
    }
    return new BsonDocument("operatorName", new BsonString(name))
        .append(isNegated ? "clausesSatisfied" : "clausesNotSatisfied", blamed);
  }

  private boolean holds(BsonDocument expression) {
    return FilterParser.parse(expression).matches(raw);
  }

  private BsonDocument explain(Clause clause) {
    if (clause.name.startsWith("$")) {
      return explainOperator(clause);
    }
    if ("$not".equals(clause.operator)) {
      BsonValue inner = clause.operand;
      var negated = new ValidationDetails(document, raw, !isNegated);
      return new BsonDocument("operatorName", new BsonString("$not"))
          .append("details", negated.conjunction(new BsonDocument(clause.name, inner)));
    }
    return leaf(clause);
  }

  private BsonDocument explainOperator(Clause clause) {
    return switch (clause.name) {
      case "$and", "$or" -> branches(clause, this);
      case "$nor" -> branches(clause, new ValidationDetails(document, raw, !isNegated));
      case "$jsonSchema" -> SchemaFailures.of(clause.operand.asDocument(), document);
      case "$expr" ->
          new BsonDocument("operatorName", new BsonString("$expr"))
              .append("specifiedAs", clause.written())
              .append(
                  "reason",
                  new BsonString(isNegated ? "expression did match" : "expression did not match"))
              .append("expressionResult", BsonBoolean.valueOf(isNegated));
      default ->
          new BsonDocument("operatorName", new BsonString(clause.name))
              .append("specifiedAs", clause.written());
    };
  }

  private static BsonDocument branches(Clause clause, ValidationDetails inner) {
    var blamed = new BsonArray();
    BsonArray branches = clause.operand.asArray();
    for (int i = 0; i < branches.size(); i++) {
      BsonDocument branch = branches.get(i).asDocument();
      if (inner.holds(branch) == inner.isNegated) {
        blamed.add(
            new BsonDocument("index", new BsonInt32(i))
                .append("details", inner.conjunction(branch)));
      }
    }
    return new BsonDocument("operatorName", new BsonString(clause.name))
        .append(inner.isNegated ? "clausesSatisfied" : "clausesNotSatisfied", blamed);
  }

  private BsonDocument leaf(Clause clause) {
    String operator = operatorName(clause);
    var answer =
        new BsonDocument("operatorName", new BsonString(operator))
            .append("specifiedAs", clause.written());
    var values = new ArrayList<BsonValue>();
    boolean isWhole = operator.equals("$size") || operator.equals("$elemMatch");
    FieldPath.parse(clause.name)
        .visit(
            raw,
            isWhole ? FieldPath.LeafArrays.KEEP : FieldPath.LeafArrays.EXPAND,
            (value, position) -> {
              if (value != null) {
                values.add(value.toBsonValue());
              }
              return false;
            });
    boolean isExistence = operator.equals("$exists");
    if (values.isEmpty() && !isExistence) {
      return answer.append("reason", new BsonString("field was missing"));
    }
    boolean isWanted = !isExistence || isTrue(clause.operand);
    Reason reason = REASONS.getOrDefault(operator, COMPARISON);
    boolean isFailure = isNegated != isWanted;
    answer.append("reason", new BsonString(isFailure ? reason.failed : reason.succeeded));
    return addValues(answer, values, operator.equals("$type"));
  }

  private static BsonDocument addValues(
      BsonDocument answer, List<BsonValue> values, boolean hasTypes) {
    if (values.size() == 1) {
      answer.append("consideredValue", values.get(0));
      if (hasTypes) {
        answer.append("consideredType", new BsonString(BsonText.typeName(values.get(0))));
      }
    } else if (!values.isEmpty()) {
      answer.append("consideredValues", new BsonArray(values));
      if (hasTypes) {
        var types = new BsonArray();
        values.stream()
            .map(BsonText::typeName)
            .distinct()
            .sorted()
            .forEach(type -> types.add(new BsonString(type)));
        answer.append("consideredTypes", types);
      }
    }
    return answer;
  }

  private static String operatorName(Clause clause) {
    if (clause.operator != null) {
      return clause.operator;
    }
    return clause.operand.isRegularExpression() ? "$regex" : "$eq";
  }

  private static boolean isTrue(BsonValue value) {
    return value.isBoolean()
        ? value.asBoolean().getValue()
        : !value.isNumber() || value.asNumber().doubleValue() != 0;
  }
}
