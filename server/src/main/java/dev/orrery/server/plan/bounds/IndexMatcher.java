package dev.orrery.server.plan.bounds;

import dev.orrery.language.limit.Allowance;
import dev.orrery.language.query.Collation;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.In;
import dev.orrery.language.query.OrderedComparison;
import dev.orrery.language.query.ValuePredicate;
import dev.orrery.storage.catalog.IndexField;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.StringOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
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
public final class IndexMatcher {
  /** From so many values on their bounds are worth keeping for the next index. */
  private static final int VALUES_MANY = 100;

  private final List<Condition> conditions;
  private final Map<In, Map<PredicateBounds, FieldBounds>> known = new IdentityHashMap<>();

  public IndexMatcher(Filter filter) {
    this.conditions = Condition.of(filter);
  }

  /** A condition and its bounds on a field. */
  private record Candidate(Condition condition, FieldBounds bounds) {
    /** A guess of how much an index holds inside the bounds, good enough to prefer one of two. */
    int breadth() {
      Intervals intervals = bounds.intervals();
      if (intervals.arePoints()) {
        return Math.min(intervals.list().size(), 1000);
      }
      if (intervals.isAll()) {
        return 4000;
      }
      return condition.isNegated() ? 3000 : 2000;
    }
  }

  /** Whether a condition speaks of the index's first field; false is sure, true a guess. */
  public boolean mayBound(IndexFacts facts) {
    IndexField first = facts.index().fields().get(0);
    boolean isNamed = first.kind() == IndexField.Kind.WILDCARD;
    for (int i = 0; i < conditions.size() && !isNamed; i++) {
      isNamed = conditions.get(i).path().equals(first.path().dotted());
    }
    return isNamed;
  }

  /** What the conditions find in the index; the whole index if nothing, null if not even that. */
  public @Nullable IndexMatch match(IndexFacts facts) {
    IndexSpec index = facts.index();
    if (index.has(IndexField.Kind.TEXT)) {
      return null;
    }
    var predicates = new PredicateBounds(facts.strings(), facts.isSameCollation());
    return new Builder(index, predicates, facts.seen().multikeyFields()).build();
  }

  /** What the conditions say of the other fields of a text index. */
  public IndexMatch matchText(IndexFacts facts) {
    var predicates = new PredicateBounds(facts.strings(), facts.isSameCollation());
    return new Builder(facts.index(), predicates, facts.seen().multikeyFields()).build();
  }

  private @Nullable FieldBounds boundsOf(ValuePredicate predicate, PredicateBounds predicates) {
    return predicate instanceof In in && in.operands().size() >= VALUES_MANY
        ? known
            .computeIfAbsent(in, any -> new HashMap<>())
            .computeIfAbsent(predicates, bounds -> bounds.of(in))
        : predicates.of(predicate);
  }

  public static StringOrder stringsOf(IndexSpec index) {
    return index.collation() == null
        ? StringOrder.UTF8
        : Collation.parse(index.collation()).strings();
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
      if (!index.isSpecial() || field.kind() != IndexField.Kind.ORDERED) {
        // what is not on the map has no key there, whatever its other fields are
        candidates.forEach(one -> excludesMissing |= one.bounds.excludesMissing());
      }
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
      Allowance allowance = Allowance.current();
      for (Condition condition : conditions) {
        allowance.step();
        if (condition.path().equals(field.path().dotted())) {
          FieldBounds found = boundsOf(condition, field, isMultikey(position));
          // a.0 is missing in {a: [5, {}]} too, where an index has only the 5; and a.0.b of
          // {a: [5]} is not null, though it has that key
          boolean isSafe =
              found != null
                  && (!hasPosition || (found.excludesMissing() && !condition.isNegated()));
          if (isSafe) {
            candidates.add(new Candidate(condition, found));
          }
        }
      }
      return candidates;
    }

    private @Nullable FieldBounds boundsOf(
        Condition condition, IndexField field, boolean isMultikey) {
      if (condition.predicate() instanceof OrderedComparison
          && (isMultikey || Condition.hasPosition(field.path()))) {
        return null; // to an expression an array is one value, and that has no key
      }
      if (field.kind() == IndexField.Kind.HASHED) {
        return condition.isNegated() ? null : HashedBounds.of(condition.predicate(), predicates);
      }
      if (field.kind() != IndexField.Kind.ORDERED) {
        return condition.isNegated() ? null : GeoBounds.of(condition.predicate(), index, field);
      }
      return condition.isNegated()
          ? predicates.ofNot(condition.predicate(), isMultikey)
          : IndexMatcher.this.boundsOf(condition.predicate(), predicates);
    }

    private Intervals intersect(List<Candidate> candidates) {
      chosen.add(null);
      var all = new ArrayList<Intervals>(candidates.size());
      for (Candidate candidate : candidates) {
        all.add(candidate.bounds.intervals());
        ensure(candidate);
      }
      return Intervals.intersection(all);
    }

    private Intervals chooseOne(int field, List<Candidate> candidates) {
      Candidate best = null;
      int least = Integer.MAX_VALUE;
      for (Candidate candidate : candidates) {
        int breadth = isCompatible(field, candidate) ? candidate.breadth() : Integer.MAX_VALUE;
        if (breadth < least) {
          best = candidate;
          least = breadth;
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
  }
}
