package dev.orrery.language.query;

import static dev.orrery.language.query.FilterParser.badValue;
import static java.util.Map.entry;

import dev.orrery.language.limit.Allowance;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.jspecify.annotations.Nullable;

/** {@code $all $elemMatch $size}: conditions on arrays. */
public final class ArrayFilters {
  static final Map<String, FilterOperator> OPERATORS =
      Map.ofEntries(
          entry("$all", ArrayFilters::parseAll),
          entry(
              "$elemMatch", call -> parseElementMatch(call.path(), call.argument(), call.scope())),
          entry("$size", ArrayFilters::parseSize));

  private ArrayFilters() {}

  /** {@code $elemMatch: {b: 1, c: 2}}: one document in the array matches the whole filter. */
  public record ElementDocument(Filter filter) implements ValuePredicate {
    @Override
    public boolean test(@Nullable RawValue value, MatchDetails details) {
      if (value == null || !value.isArray()) {
        return false;
      }
      Allowance allowance = Allowance.current();
      int size = filter.size();
      var elements = value.asDocument().elements();
      for (int i = 0; elements.next(); i++) {
        allowance.steps(size);
        boolean hasFields =
            elements.type() == RawTypes.DOCUMENT || elements.type() == RawTypes.ARRAY;
        if (hasFields && filter.matches(elements.value().asDocument())) {
          details.record(i);
          return true;
        }
      }
      return false;
    }

    @Override
    public int size() {
      return filter.size();
    }

    @Override
    public BsonDocument document() {
      return new BsonDocument("$elemMatch", filter.document());
    }

    @Override
    public boolean traversesArrays() {
      return false;
    }
  }

  /** {@code $elemMatch: {$gt: 1, $lt: 5}}: one element satisfies all of the operators. */
  public record ElementValue(Filter filter) implements ValuePredicate {
    @Override
    public boolean test(@Nullable RawValue value, MatchDetails details) {
      if (value == null || !value.isArray()) {
        return false;
      }
      Allowance allowance = Allowance.current();
      int size = filter.size();
      var elements = value.asDocument().elements();
      for (int i = 0; elements.next(); i++) {
        allowance.steps(size);
        if (filter.matchesValue(elements.value())) {
          details.record(i);
          return true;
        }
      }
      return false;
    }

    @Override
    public int size() {
      return filter.size();
    }

    @Override
    public BsonDocument document() {
      return new BsonDocument("$elemMatch", filter.operators());
    }

    @Override
    public boolean traversesArrays() {
      return false;
    }
  }

  /** {@code $size}: an array of exactly that many elements. */
  public record Size(int elements) implements ValuePredicate {
    @Override
    public boolean test(@Nullable RawValue value, MatchDetails details) {
      return value != null && value.isArray() && hasSize(value.asDocument());
    }

    private boolean hasSize(RawDocument array) {
      var cursor = array.elements();
      for (int i = 0; i < elements; i++) {
        if (!cursor.next()) {
          return false;
        }
      }
      return !cursor.next();
    }

    @Override
    public BsonDocument document() {
      return new BsonDocument("$size", new BsonInt32(elements));
    }

    @Override
    public boolean traversesArrays() {
      return false;
    }
  }

  private static Filter parseSize(OperatorCall call) {
    var size = IntegerArgument.parseNonNegativeInt(call.name(), call.argument());
    if (!size.isValid()) {
      throw badValue("Failed to parse $size. " + size.error());
    }
    return call.filter(new Size((int) size.value()));
  }

  static Filter parseElementMatch(FieldPath path, RawValue argument, OperatorCall.Scope scope) {
    if (!argument.isDocument()) {
      throw badValue("$elemMatch needs an Object");
    }
    var condition = argument.asDocument();
    if (!isOnValues(argument)) {
      var filter = FilterParser.parseDocument(condition, scope.inSubdocument());
      return new Filter.Field(path, new ElementDocument(filter));
    }
    var children = new ArrayList<Filter>();
    FilterParser.parseOperators(FieldPath.parse(""), condition, scope.inSubdocument(), children);
    return new Filter.Field(path, new ElementValue(FilterParser.all(children)));
  }

  /** Whether the operators apply to the elements themselves, instead of to their fields. */
  private static boolean isOnValues(RawValue argument) {
    if (!FilterParser.startsWithDollar(argument)
        || FilterParser.isReference(argument.asDocument(), true)) {
      return false;
    }
    var elements = argument.asDocument().elements();
    return elements.next() && !FilterOperators.AT_TOP_LEVEL.containsKey(elements.name());
  }

  private static Filter parseAll(OperatorCall call) {
    if (!call.argument().isArray()) {
      throw badValue("$all needs an array");
    }
    var operands = call.argument().asDocument().toValues();
    if (operands.isEmpty()) {
      return Filter.NOTHING;
    }
    boolean areElementMatches = firstName(operands.get(0)).equals("$elemMatch");
    var children = new ArrayList<Filter>(operands.size());
    for (var operand : operands) {
      children.add(areElementMatches ? elementMatch(call, operand) : contained(call, operand));
    }
    return FilterParser.all(List.copyOf(children));
  }

  private static Filter elementMatch(OperatorCall call, RawValue operand) {
    if (!firstName(operand).equals("$elemMatch")) {
      throw badValue("$all/$elemMatch has to be consistent");
    }
    return parseElementMatch(call.path(), operand.asDocument().field("$elemMatch"), call.scope());
  }

  private static Filter contained(OperatorCall call, RawValue operand) {
    if (operand.type() == RawTypes.REGEX) {
      return call.filter(Regex.of(operand));
    }
    if (FilterOperators.ON_FIELDS.containsKey(firstName(operand))
        && !firstName(operand).equals("$not")) {
      throw badValue("no $ expressions in $all");
    }
    return ComparisonFilters.equal(call.path(), operand, call.scope().context().order());
  }

  private static String firstName(RawValue value) {
    if (!value.isDocument()) {
      return "";
    }
    var elements = value.asDocument().elements();
    return elements.next() ? elements.name() : "";
  }
}
