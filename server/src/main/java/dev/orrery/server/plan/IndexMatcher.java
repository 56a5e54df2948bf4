package dev.orrery.server.plan;

import dev.orrery.server.query.Collation;
import dev.orrery.server.query.Filter;
import dev.orrery.storage.index.IndexField;
import dev.orrery.storage.index.IndexSpec;
import dev.orrery.storage.value.StringOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/*
 * Conditions on a field without arrays intersect. With arrays each may hold for another element,
 * and each element has a key of its own, so:
 *
 *   - of several conditions on one field only one becomes bounds: {a: {$gt: 1, $lt: 5}} matches
 *     {a: [0, 9]}, which has no key between 1 and 5;
 *   - of two fields below one array only one has bounds: {"a.b": 1, "a.c": 2} matches
 *     {a: [{b: 1, c: 0}, {b: 0, c: 2}]}, which has no key (1, 2). Unless one $elemMatch holds both
 *     conditions, and below it their paths part at once.
 *
 * Fields that share no array are never arrays at the same time: no index takes such documents.
 */

/** Finds for one index what the conditions of a filter say about its keys. */
final class IndexMatcher {
  private final List<Condition> conditions;
  private final Collation collation;

  IndexMatcher(Filter filter, Collation collation) {
    this.conditions = Condition.of(filter);
    this.collation = collation;
  }

  /** A condition and its bounds on a field. */
  private record Candidate(Condition condition, FieldBounds bounds) {}

  /** What the conditions find in the index; the whole index if nothing, null if not even that. */
  @Nullable IndexMatch match(IndexSpec index, long multikeyFields) {
    if (index.has(IndexField.Kind.TEXT)
        || index.has(IndexField.Kind.GEO_2D)
        || index.has(IndexField.Kind.GEO_2DSPHERE)) {
      return null;
    }
    StringOrder strings = stringsOf(index);
    var predicates = new PredicateBounds(strings, isSameCollation(index));
    return new Builder(index, predicates, multikeyFields).build();
  }

  static StringOrder stringsOf(IndexSpec index) {
    return index.collation() == null
        ? StringOrder.UTF8
        : Collation.parse(index.collation()).strings();
  }

  boolean isSameCollation(IndexSpec index) {
    return index.collation() == null
        ? collation.isSimple()
        : Collation.parse(index.collation()).equals(collation);
  }

  /** One index on its way to a match. */
  private final class Builder {
    private final IndexSpec index;
    private final PredicateBounds predicates;
    private final long multikeyFields;
    private final List<IndexAccess.Part> parts = new ArrayList<>();
    private final List<Intervals> bounds = new ArrayList<>();
    private final List<@Nullable Candidate> chosen = new ArrayList<>();
    private final Set<Filter> ensured = Collections.newSetFromMap(new IdentityHashMap<>());
    private WildcardMatcher.@Nullable Pairs pairs;
    private int wildcard;
    private boolean isBounded;
    private boolean excludesMissing;

    Builder(IndexSpec index, PredicateBounds predicates, long multikeyFields) {
      this.index = index;
      this.predicates = predicates;
      this.multikeyFields = multikeyFields;
    }

    @Nullable IndexMatch build() {
      for (int i = 0; i < index.fields().size(); i++) {
        IndexField field = index.fields().get(i);
        if (field.kind() == IndexField.Kind.WILDCARD) {
          addPairs(i, field);
        } else {
          addField(i, field);
        }
      }
      boolean isUseless = pairs != null && pairs.areAll() && !isBounded;
      var access = new IndexAccess(index, parts, bounds, multikeyParts(), null);
      return isUseless ? null : new IndexMatch(access, isBounded, excludesMissing, ensured);
    }

    private void addField(int i, IndexField field) {
      parts.add(new IndexAccess.Part(field.path().dotted(), field.kind(), field.isDescending()));
      List<Candidate> candidates = candidates(i, field);
      candidates.forEach(one -> excludesMissing |= one.bounds.excludesMissing());
      isBounded |= i == 0 && !candidates.isEmpty();
      bounds.add(isMultikey(i) ? chooseOne(i, candidates) : intersect(candidates));
    }

    private void addPairs(int position, IndexField field) {
      pairs = new WildcardMatcher(index, predicates, conditions).pairs();
      wildcard = position;
      boolean isDescending = field.isDescending();
      parts.add(new IndexAccess.Part(WildcardMatcher.PATH, IndexField.Kind.ORDERED, false));
      parts.add(new IndexAccess.Part(pairs.name(), IndexField.Kind.ORDERED, isDescending));
      bounds.add(pairs.path());
      bounds.add(pairs.values().intervals());
      chosen.add(null);
      if (!pairs.areAll()) {
        isBounded |= position == 0;
        excludesMissing = true;
        ensure(new Candidate(pairs.condition(), pairs.values()));
      }
    }

    /** A bit for each part: that of a wildcard is for its values, paths have none. */
    private long multikeyParts() {
      if (pairs == null) {
        return multikeyFields;
      }
      long before = multikeyFields & ((1L << wildcard) - 1);
      return before | (multikeyFields >> wildcard) << (wildcard + 1);
    }

    private boolean isMultikey(int field) {
      return (multikeyFields >> field & 1) != 0;
    }

    private List<Candidate> candidates(int position, IndexField field) {
      var candidates = new ArrayList<Candidate>();
      boolean hasPosition = Condition.hasPosition(field.path());
      for (Condition condition : conditions) {
        if (condition.path().equals(field.path().dotted())) {
          FieldBounds found = boundsOf(condition, field, isMultikey(position));
          // a.0 is missing in {a: [5, {}]} too, where an index has only the 5
          boolean isSafe = found != null && (found.excludesMissing() || !hasPosition);
          if (isSafe) {
            candidates.add(new Candidate(condition, found));
          }
        }
      }
      return candidates;
    }

    private @Nullable FieldBounds boundsOf(
        Condition condition, IndexField field, boolean isMultikey) {
      if (field.kind() == IndexField.Kind.HASHED) {
        return condition.isNegated() ? null : HashedBounds.of(condition.predicate(), predicates);
      }
      return condition.isNegated()
          ? predicates.ofNot(condition.predicate(), isMultikey)
          : predicates.of(condition.predicate());
    }

    private Intervals intersect(List<Candidate> candidates) {
      chosen.add(null);
      Intervals result = Intervals.ALL;
      for (Candidate candidate : candidates) {
        result = result.intersect(candidate.bounds.intervals());
        ensure(candidate);
      }
      return result;
    }

    private Intervals chooseOne(int field, List<Candidate> candidates) {
      Candidate best = null;
      for (Candidate candidate : candidates) {
        if (isCompatible(field, candidate)
            && (best == null || breadth(candidate) < breadth(best))) {
          best = candidate;
        }
      }
      chosen.add(best);
      if (best == null) {
        return Intervals.ALL;
      }
      ensure(best);
      return best.bounds.intervals();
    }

    private void ensure(Candidate candidate) {
      if (candidate.bounds.isExact() && candidate.condition.scope() == Condition.Scope.DOCUMENT) {
        ensured.add(candidate.condition.source());
      }
    }

    /** Whether no field before has bounds for what may be another element of the same array. */
    private boolean isCompatible(int field, Candidate candidate) {
      for (int i = 0; i < field; i++) {
        Candidate other = chosen.get(i);
        boolean mayShareArray =
            firstName(index.fields().get(i).path().dotted(), 0)
                .equals(firstName(index.fields().get(field).path().dotted(), 0));
        if (other != null && mayShareArray && !isSameElement(other, candidate)) {
          return false;
        }
      }
      return true;
    }

    private boolean isSameElement(Candidate left, Candidate right) {
      Condition.Scope scope = left.condition.scope();
      int start = scope.prefix().length();
      return scope != Condition.Scope.DOCUMENT
          && scope == right.condition.scope()
          && !firstName(left.condition.path(), start)
              .equals(firstName(right.condition.path(), start));
    }

    private static String firstName(String path, int start) {
      int dot = path.indexOf('.', start);
      return dot < 0 ? path.substring(start) : path.substring(start, dot);
    }

    /** A guess of how much an index holds inside bounds, good enough to prefer one of two. */
    private static int breadth(Candidate candidate) {
      Intervals intervals = candidate.bounds.intervals();
      if (intervals.arePoints()) {
        return Math.min(intervals.list().size(), 1000);
      }
      if (intervals.isAll()) {
        return 4000;
      }
      return candidate.condition.isNegated() ? 3000 : 2000;
    }
  }
}
