package dev.orrery.server.plan.bounds;

import dev.orrery.language.limit.Allowance;
import dev.orrery.language.query.ArrayFilters;
import dev.orrery.language.query.Comparison;
import dev.orrery.language.query.ElementFilters;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.In;
import dev.orrery.language.query.OrderedComparison;
import dev.orrery.language.query.Regex;
import dev.orrery.language.query.ValuePredicate;
import dev.orrery.server.plan.bounds.Interval.Bound;
import dev.orrery.value.CanonicalTypes;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import dev.orrery.value.StringOrder;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDouble;
import org.bson.BsonNull;
import org.bson.BsonRegularExpression;
import org.bson.BsonString;
import org.bson.BsonUndefined;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/*
 * The keys that matching documents have, for one condition on one path:
 *
 *   5, $in           the point of each value; an array may be the value (of an element), or be
 *                    entered, and then its first element has a key: both points
 *   null             null (a missing field has that key) and undefined (an empty array has it)
 *   $gt, $lt ...     up to the end of the type's bracket; beside MinKey and MaxKey everything
 *   ^abc             strings from "abc" to "abd", and the regular expression itself
 *   $exists          every key, as null may mean missing; but a sparse index has no missing field
 *   $elemMatch       on values: all its conditions hold for one element, so they intersect
 *   not              the complement of what is exact: there every key means a match
 *   $expr: {$gt}     to the end of all types, of a field without arrays; a missing field is less
 *                    than null in an expression, but has its key
 */

/**
 * Turns conditions on one value into intervals of keys of an ordered index.
 *
 * @param strings how the index orders strings
 * @param hasCollation whether the query compares strings in the same way
 */
public record PredicateBounds(StringOrder strings, boolean hasCollation) {
  /** The bounds of a predicate, or null when it says nothing about keys. */
  public @Nullable FieldBounds of(ValuePredicate predicate) {
    if (predicate instanceof Comparison comparison) {
      return ofComparison(comparison.operator(), comparison.operand());
    }
    if (predicate instanceof In in) {
      return ofIn(in);
    }
    if (predicate instanceof OrderedComparison comparison) {
      return ofOrdered(comparison.operator(), comparison.operand());
    }
    if (predicate instanceof Regex regex) {
      return ofRegex(regex);
    }
    if (predicate instanceof ElementFilters.Exists) {
      return new FieldBounds(Intervals.ALL, false, true);
    }
    if (predicate instanceof ElementFilters.HasType type) {
      return ofTypes(type);
    }
    return predicate instanceof ArrayFilters.ElementValue element
        ? ofElement(element.filter())
        : null;
  }

  /** The bounds of what does not satisfy a predicate, or null when they are unknown. */
  public @Nullable FieldBounds ofNot(ValuePredicate predicate, boolean isMultikey) {
    if (predicate instanceof ElementFilters.Exists) {
      return new FieldBounds(points(new BsonUndefined(), BsonNull.VALUE), false, false);
    }
    FieldBounds bounds = of(predicate);
    if (bounds == null) {
      return null;
    }
    if (isEqualToNull(predicate)
        && !isMultikey) { // of a path without arrays, null and missing have one key
      return new FieldBounds(bounds.intervals().complement(), true, true);
    }
    // One element outside says nothing of the others, so with arrays the complement is not exact.
    return bounds.isExact() && !mayHoldNull(bounds.intervals())
        ? new FieldBounds(bounds.intervals().complement(), !isMultikey, false)
        : null;
  }

  private static boolean isEqualToNull(ValuePredicate predicate) {
    return predicate instanceof Comparison comparison
        && comparison.operator() == Comparison.Operator.EQUAL
        && comparison.operand().type() == RawTypes.NULL;
  }

  private boolean mayHoldNull(Intervals intervals) {
    return !intervals.intersect(nullPoints()).isEmpty();
  }

  private Intervals nullPoints() {
    return points(new BsonUndefined(), BsonNull.VALUE);
  }

  private Intervals points(BsonValue... values) {
    var list = new ArrayList<Interval>();
    for (BsonValue value : values) {
      list.add(Interval.point(value, strings));
    }
    return Intervals.of(list);
  }

  /** All conditions hold for the same element, which has one key. */
  private @Nullable FieldBounds ofElement(Filter filter) {
    var all = new ArrayList<Intervals>();
    Allowance allowance = Allowance.current();
    for (Filter child : conjuncts(filter)) {
      allowance.step();
      FieldBounds bounds = null;
      if (child instanceof Filter.Field field) {
        bounds = ofElement(field.predicate());
      } else if (child instanceof Filter.Not not && not.child() instanceof Filter.Field field) {
        bounds = ofNot(field.predicate(), true);
      }
      if (bounds != null) {
        all.add(bounds.intervals());
      }
    }
    return all.isEmpty() ? null : new FieldBounds(Intervals.intersection(all), false, true);
  }

  /** An array in an array is a key as it is: its own elements have none. */
  private @Nullable FieldBounds ofElement(ValuePredicate predicate) {
    return predicate instanceof ArrayFilters.ElementValue ? null : of(predicate);
  }

  public static List<Filter> conjuncts(Filter filter) {
    return filter instanceof Filter.And and ? and.children() : List.of(filter);
  }

  /** The union of the bounds of all operands, collected first, as there may be many. */
  private @Nullable FieldBounds ofIn(In in) {
    Allowance allowance = Allowance.current();
    var intervals = new ArrayList<Interval>(in.operands().size());
    boolean isExact = true;
    boolean excludesMissing = true;
    for (int i = 0; i < in.operands().size() + in.regexes().size(); i++) {
      allowance.step();
      FieldBounds part =
          i < in.operands().size()
              ? ofComparison(Comparison.Operator.EQUAL, in.operands().get(i))
              : ofRegex(in.regexes().get(i - in.operands().size()));
      if (part == null) {
        return null;
      }
      intervals.addAll(part.intervals().list());
      isExact &= part.isExact();
      excludesMissing &= part.excludesMissing();
    }
    return new FieldBounds(Intervals.of(intervals), isExact, excludesMissing);
  }

  private @Nullable FieldBounds ofComparison(Comparison.Operator operator, RawValue operand) {
    if (!hasCollation && mayHoldText(operand)) {
      return null;
    }
    boolean isEqual = operator == Comparison.Operator.EQUAL;
    return switch (CanonicalTypes.of(operand.type())) {
      case CanonicalTypes.NULL ->
          operator.isInclusive()
              ? new FieldBounds(nullPoints(), false, false)
              : FieldBounds.NOTHING;
      case CanonicalTypes.MIN_KEY, CanonicalTypes.MAX_KEY -> ofExtreme(operator, operand);
      case CanonicalTypes.ARRAY -> isEqual ? ofArray(operand) : everything();
      default -> isEqual ? exact(point(operand)) : ofRange(operator, operand);
    };
  }

  private static boolean mayHoldText(RawValue value) {
    return CanonicalTypes.of(value.type()) == CanonicalTypes.STRING
        || value.isDocument()
        || value.isArray();
  }

  private static FieldBounds everything() {
    return new FieldBounds(Intervals.ALL, false, false);
  }

  private static FieldBounds exact(Intervals intervals) {
    return new FieldBounds(intervals, true, true);
  }

  private Intervals point(RawValue value) {
    return points(value.toBsonValue());
  }

  private FieldBounds ofArray(RawValue array) {
    var elements = array.asDocument().elements();
    BsonValue first = elements.next() ? elements.value().toBsonValue() : new BsonUndefined();
    return new FieldBounds(points(array.toBsonValue(), first), false, true);
  }

  /** Every value, even a missing one, lies between MinKey and MaxKey. */
  private FieldBounds ofExtreme(Comparison.Operator operator, RawValue operand) {
    Intervals point = point(operand);
    boolean isLowest = operand.type() == RawTypes.MIN_KEY;
    return switch (operator) {
      case EQUAL -> exact(point);
      case GREATER ->
          isLowest ? new FieldBounds(point.complement(), false, false) : FieldBounds.NOTHING;
      case GREATER_OR_EQUAL -> isLowest ? everything() : exact(point);
      case LESS ->
          isLowest ? FieldBounds.NOTHING : new FieldBounds(point.complement(), false, false);
      case LESS_OR_EQUAL -> isLowest ? exact(point) : everything();
    };
  }

  private FieldBounds ofRange(Comparison.Operator operator, RawValue operand) {
    int type = CanonicalTypes.of(operand.type());
    BsonValue value = operand.toBsonValue();
    if (isNaN(value)) {
      return operator.isInclusive() ? exact(point(operand)) : FieldBounds.NOTHING;
    }
    Bound bound = Bound.of(value, operator.isInclusive(), strings);
    boolean isLower =
        operator == Comparison.Operator.GREATER || operator == Comparison.Operator.GREATER_OR_EQUAL;
    Bound low = isLower ? bound : TypeBounds.low(type, strings);
    Bound high = isLower ? TypeBounds.high(type, strings) : bound;
    return Interval.isEmpty(low, high)
        ? FieldBounds.NOTHING
        : exact(new Intervals(List.of(new Interval(low, high))));
  }

  /** Up to the end of all types, as expressions compare. */
  private @Nullable FieldBounds ofOrdered(Comparison.Operator operator, RawValue operand) {
    if (!hasCollation && mayHoldText(operand)) {
      return null;
    }
    Interval all = Intervals.ALL.list().get(0);
    boolean isLower =
        operator == Comparison.Operator.GREATER || operator == Comparison.Operator.GREATER_OR_EQUAL;
    boolean isNull = operand.type() == RawTypes.NULL;
    boolean isInclusive = operator.isInclusive() || (isNull && !isLower);
    Bound bound = Bound.of(operand.toBsonValue(), isInclusive, strings);
    Bound low = isLower ? bound : all.low();
    Bound high = isLower ? all.high() : bound;
    boolean excludesMissing = isLower && operand.type() != RawTypes.MIN_KEY;
    return Interval.isEmpty(low, high)
        ? FieldBounds.NOTHING
        : new FieldBounds(new Intervals(List.of(new Interval(low, high))), false, excludesMissing);
  }

  private static boolean isNaN(BsonValue value) {
    return (value.isDouble() && Double.isNaN(value.asDouble().getValue()))
        || (value.isDecimal128() && value.asDecimal128().getValue().isNaN());
  }

  private @Nullable FieldBounds ofRegex(Regex regex) {
    if (strings != StringOrder.UTF8) {
      return null; // a regular expression looks at characters, the index has only sort keys
    }
    String prefix = RegexPrefix.of(regex.pattern(), regex.options());
    String above = RegexPrefix.successor(prefix);
    Bound high =
        above.isEmpty()
            ? TypeBounds.high(CanonicalTypes.STRING, strings)
            : Bound.of(new BsonString(above), false, strings);
    var texts = new Interval(Bound.of(new BsonString(prefix), true, strings), high);
    var same = new BsonRegularExpression(regex.pattern(), regex.options());
    return new FieldBounds(
        Intervals.of(List.of(texts, Interval.point(same, strings))), false, true);
  }

  private @Nullable FieldBounds ofTypes(ElementFilters.HasType predicate) {
    var list = new ArrayList<Interval>();
    for (byte type : predicate.types().types()) {
      int bracket = CanonicalTypes.of(type);
      if (bracket == CanonicalTypes.ARRAY || bracket == CanonicalTypes.UNDEFINED) {
        return null; // arrays are entered, and undefined has the key of an empty one
      }
      list.add(new Interval(TypeBounds.low(bracket, strings), TypeBounds.high(bracket, strings)));
      if (bracket == CanonicalTypes.NUMBER) {
        list.add(Interval.point(new BsonDouble(Double.NaN), strings));
      }
    }
    return new FieldBounds(Intervals.of(list), false, true);
  }
}
