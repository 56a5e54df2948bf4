package dev.orrery.server.plan.bounds;

import dev.orrery.language.query.Comparison;
import dev.orrery.language.query.In;
import dev.orrery.language.query.Regex;
import dev.orrery.language.query.ValuePredicate;
import dev.orrery.storage.catalog.IndexField;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.CanonicalTypes;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import dev.orrery.value.StringOrder;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonMinKey;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/*
 * The keys of a wildcard index are pairs of path and value, between the values of its plain fields:
 *
 *   {a: 1, "w.$**": 1, b: 1}   over   {a: 6, w: {x: 1, y: 2}, b: 3}   (6, "w.x", 1, 3)
 *                                                                     (6, "w.y", 2, 3)
 *                              over   {a: 6, b: 3}                    (6, MinKey, MinKey, 3)
 *
 * An index that begins with a plain field has every document, so as in MongoDB it also answers
 * conditions on that field alone: then every pair is wanted, and a document comes as often as it
 * has pairs. One that begins with the wildcard is only of use for a path.
 */

/**
 * Finds for a wildcard index the path that a filter narrows most. It knows nothing of missing
 * fields, and holds documents and arrays only in parts.
 */
public record WildcardMatcher(
    IndexSpec index, PredicateBounds predicates, List<Condition> conditions) {
  /** The name of the field before the value in explain. */
  public static final String PATH = "$_path";

  /** Every path that a key may have: a string, or MinKey where there is no pair. */
  private static final Intervals ANY_PATH =
      Intervals.of(
          List.of(
              Interval.point(new BsonMinKey(), StringOrder.UTF8),
              new Interval(
                  TypeBounds.low(CanonicalTypes.STRING, StringOrder.UTF8),
                  TypeBounds.high(CanonicalTypes.STRING, StringOrder.UTF8))));

  /**
   * Which pairs are wanted.
   *
   * @param condition that the values of the path fulfil; null when every pair will do
   */
  public record Pairs(Intervals path, @Nullable Condition condition, FieldBounds values) {
    public static final Pairs ALL =
        new Pairs(ANY_PATH, null, new FieldBounds(Intervals.ALL, false, false));

    boolean areAll() {
      return condition == null;
    }

    /** The name of the value in explain. */
    String name() {
      return condition == null ? PATH : condition.path();
    }
  }

  /** The pairs that the conditions leave; all of them if none speaks of a path in the index. */
  Pairs pairs() {
    Condition best = null;
    FieldBounds bestBounds = null;
    for (Condition condition : conditions) {
      FieldBounds bounds = isIndexed(condition) ? predicates.of(condition.predicate()) : null;
      if (bounds != null && (bestBounds == null || isNarrower(bounds, bestBounds))) {
        best = condition;
        bestBounds = bounds;
      }
    }
    if (best == null) {
      return Pairs.ALL;
    }
    Interval path = Interval.point(new BsonString(best.path()), StringOrder.UTF8);
    return new Pairs(new Intervals(List.of(path)), best, bestBounds);
  }

  private static boolean isNarrower(FieldBounds bounds, FieldBounds other) {
    return bounds.intervals().arePoints() && !other.intervals().arePoints();
  }

  private boolean isIndexed(Condition condition) {
    return !condition.isNegated()
        && isScalar(condition.predicate())
        && !Condition.hasPosition(FieldPath.parse(condition.path()))
        && isProjected(condition.path());
  }

  private static boolean isScalar(ValuePredicate predicate) {
    if (predicate instanceof Comparison comparison) {
      return isScalar(comparison.operand());
    }
    if (predicate instanceof In in) {
      return in.operands().stream().allMatch(WildcardMatcher::isScalar);
    }
    return predicate instanceof Regex;
  }

  private static boolean isScalar(RawValue value) {
    return !value.isDocument()
        && !value.isArray()
        && value.type() != RawTypes.NULL
        && value.type() != RawTypes.MIN_KEY
        && value.type() != RawTypes.MAX_KEY;
  }

  private IndexField wildcard() {
    return index.fields().stream()
        .filter(field -> field.kind() == IndexField.Kind.WILDCARD)
        .findFirst()
        .orElseThrow();
  }

  private boolean isProjected(String path) {
    String root = wildcard().wildcardRoot();
    if (!root.isEmpty()) {
      return isBelow(path, root);
    }
    BsonDocument projection = index.wildcardProjection();
    boolean isId = isBelow(path, "_id");
    if (projection == null) {
      return !isId;
    }
    boolean isInclusion = false;
    boolean isNamed = false;
    for (var entry : projection.entrySet()) {
      if (entry.getValue().isDocument()) {
        return false; // nested projections are not looked into
      }
      boolean isKept = isTrue(entry.getValue());
      if (!entry.getKey().equals("_id")) {
        isInclusion = isKept;
        isNamed |= isBelow(path, entry.getKey());
      } else if (isId) {
        return isKept;
      }
    }
    return !isId && isNamed == isInclusion;
  }

  private static boolean isTrue(BsonValue value) {
    return value.isBoolean()
        ? value.asBoolean().getValue()
        : value.isNumber() && value.asNumber().doubleValue() != 0;
  }

  private static boolean isBelow(String path, String root) {
    return path.equals(root) || path.startsWith(root + ".");
  }
}
