package dev.orrery.server.plan;

import dev.orrery.server.query.Comparison;
import dev.orrery.server.query.Filter;
import dev.orrery.server.query.In;
import dev.orrery.server.query.Regex;
import dev.orrery.server.query.ValuePredicate;
import dev.orrery.storage.index.IndexField;
import dev.orrery.storage.index.IndexSpec;
import dev.orrery.storage.value.FieldPath;
import dev.orrery.storage.value.RawTypes;
import dev.orrery.storage.value.RawValue;
import dev.orrery.storage.value.StringOrder;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * Finds for a wildcard index the path that a filter narrows most. Its keys are pairs of path and
 * value; it knows nothing of missing fields, and holds documents and arrays only in parts.
 */
record WildcardMatcher(IndexSpec index, PredicateBounds predicates, List<Condition> conditions) {
  /** The name of the first field of the keys in explain. */
  private static final String PATH = "$_path";

  @Nullable IndexMatch match(long multikeyFields) {
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
      return null;
    }
    var parts =
        List.of(
            new IndexAccess.Part(PATH, IndexField.Kind.ORDERED, false),
            new IndexAccess.Part(
                best.path(), IndexField.Kind.ORDERED, index.fields().get(0).isDescending()));
    var path =
        new Intervals(List.of(Interval.point(new BsonString(best.path()), StringOrder.UTF8)));
    var access =
        new IndexAccess(
            index, parts, List.of(path, bestBounds.intervals()), multikeyFields << 1, null);
    Set<Filter> ensured = Collections.newSetFromMap(new IdentityHashMap<>());
    if (bestBounds.isExact() && best.scope() == Condition.Scope.DOCUMENT) {
      ensured.add(best.source());
    }
    return new IndexMatch(access, true, true, ensured);
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

  private boolean isProjected(String path) {
    String root = index.fields().get(0).wildcardRoot();
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
