package dev.orrery.server.plan;

import dev.orrery.language.limit.Allowance;
import dev.orrery.language.query.Filter;
import dev.orrery.server.plan.bounds.IndexAccess;
import dev.orrery.server.plan.bounds.IndexFacts;
import dev.orrery.server.plan.bounds.IndexMatch;
import dev.orrery.server.plan.bounds.IndexMatcher;
import dev.orrery.server.plan.bounds.Intervals;
import dev.orrery.server.plan.bounds.PartialImplication;
import dev.orrery.server.plan.bounds.PredicateBounds;
import dev.orrery.server.plan.bounds.ScanBounds;
import dev.orrery.server.plan.bounds.WildcardMatcher;
import dev.orrery.storage.IndexRange;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.catalog.IndexSpec;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** All ways to find the documents of a query by its collection's indexes. */
final class AccessPaths {
  private static final int SAMPLES_MAX = 10;

  /** What a range of an index is taken for that nobody knows more of. */
  private static final long KEYS_UNKNOWN = 100;

  /** For clauses behind these the index is taken that was the best most often before. */
  private static final int COUNTED_CLAUSES_MAX = 1_000;

  /** How much a condition on a later field is taken to narrow a scan. */
  private static final double LATER_FIELD_SHARE = 0.1;

  private final Query query;
  private final Filter filter;
  private final List<PartitionStore> partitions;
  private final IndexMatcher matcher;
  private final @Nullable Set<String> wanted;

  AccessPaths(Query query, Targets targets) {
    this.query = query;
    this.filter = query.criteria().filter();
    this.partitions = targets.partitions();
    // Bounds may also come of a partition key that follows from other fields.
    this.matcher =
        new IndexMatcher(
            targets.derived() == null
                ? filter
                : new Filter.And(List.of(filter, targets.derived())));
    this.wanted = Covering.wanted(query);
  }

  /** Every index that narrows the search or gives the order; in the order of their creation. */
  List<AccessPath> all() {
    var paths = new ArrayList<AccessPath>();
    List<IndexFacts> indexes = visibleIndexes();
    for (IndexFacts facts : indexes) {
      IndexMatch match = matcher.match(facts);
      if (match != null && isComplete(match, facts, filter)) {
        AccessPath path = path(match, facts);
        if (match.isBounded() || (path.isSorted() && query.order().sort() != null)) {
          paths.add(path);
        }
      }
    }
    for (Filter.Or or : disjunctions()) {
      AccessPath union = union(or, indexes);
      if (union != null) {
        paths.add(union);
      }
    }
    return paths;
  }

  /** Each one has a clause for every document that matches. */
  private List<Filter.Or> disjunctions() {
    var found = new ArrayList<Filter.Or>();
    for (Filter conjunct : PredicateBounds.conjuncts(filter)) {
      Filter known = conjunct instanceof Filter.Whole whole ? whole.implied() : conjunct;
      for (Filter one : PredicateBounds.conjuncts(known)) {
        if (one instanceof Filter.Or or) {
          found.add(or);
        }
      }
    }
    return found;
  }

  private List<IndexFacts> visibleIndexes() {
    return query.indexes().stream().filter(index -> !index.isHidden()).map(this::factsOf).toList();
  }

  private IndexFacts factsOf(IndexSpec index) {
    return IndexFacts.of(index, query.criteria().collation(), partitions);
  }

  /** The path through the index that the user wants, whatever it costs or leaves out. */
  AccessPath hinted(IndexSpec index, @Nullable IndexRange range) {
    IndexFacts facts = factsOf(index);
    IndexMatch match = matcher.match(facts);
    if (match == null) {
      throw PlannerErrors.noSolution();
    }
    if (range == null) {
      return path(match, facts);
    }
    IndexAccess whole = match.access();
    var bounds = whole.bounds().stream().map(any -> Intervals.ALL).toList();
    var access = new IndexAccess(index, whole.parts(), bounds, whole.multikeyFields(), range);
    return path(new IndexMatch(access, true, true, Set.of()), facts);
  }

  /** Whether a partial index has every document that matches. */
  boolean implies(IndexFacts facts) {
    return PartialImplication.implies(filter, facts.partial());
  }

  /** The scans that find what matches a clause, each by another index. */
  List<IndexScan> scans(Filter clause) {
    return scans(clause, visibleIndexes());
  }

  /** Whether the index has every document that matches. */
  static boolean isComplete(IndexMatch match, IndexFacts facts, Filter filter) {
    boolean isSparse = facts.index().isSparse() || facts.index().isSpecial();
    if (isSparse && !match.excludesMissing()) {
      return false;
    }
    Filter partial = facts.partial();
    return partial == null || PartialImplication.implies(filter, partial);
  }

  private AccessPath path(IndexMatch match, IndexFacts facts) {
    boolean canSort =
        query.order().sort() != null && facts.isSameCollation() && !match.access().isWildcard();
    SortMatch sort = canSort ? SortMatch.of(match.access(), query.order().sort()) : SortMatch.NONE;
    var scan = new IndexScan(match.access(), sort == SortMatch.REVERSE);
    double keys = keys(scan);
    double documents = keys * laterShare(match.access());
    boolean isSorted = query.order().sort() == null || sort != SortMatch.NONE;
    MergeSortNode merge = canSort && !isSorted ? Explosion.of(match.access(), query.order()) : null;
    return merge == null
        ? new AccessPath(source(match, facts, scan), isSorted, keys, documents)
        : new AccessPath(source(match, facts, merge), true, keys, documents);
  }

  private PlanNode source(IndexMatch match, IndexFacts facts, PlanNode scan) {
    Filter residue = residue(filter, match.ensured());
    boolean isEnsured = residue instanceof Filter.And and && and.children().isEmpty();
    boolean isExact = query.output().fields() != null;
    Covering covering =
        wanted == null || !isEnsured
            ? null
            : Covering.of(match.access(), wanted, facts.seen(), isExact);
    return covering == null
        ? new FetchNode(filter, residue, scan)
        : new KeyNode(covering, filter, scan);
  }

  double keys(IndexScan scan) {
    var bounds = ScanBounds.of(scan.access(), false);
    if (bounds.isEmpty()) {
      return 0;
    }
    List<IndexRange> ranges =
        scan.access().range() == null
            ? bounds.samples(SAMPLES_MAX)
            : List.of(scan.access().range());
    double sum = 0;
    for (PartitionStore partition : partitions) {
      for (IndexRange range : ranges) {
        sum += partition.estimate(scan.access().index(), range).orElse(KEYS_UNKNOWN);
      }
    }
    return sum * Math.max(1, bounds.spansOfFirstField()) / ranges.size();
  }

  /** Behind a range the bounds of later fields let the scan skip keys, nobody knows how many. */
  private static double laterShare(IndexAccess access) {
    double share = 1;
    boolean isBehindRange = false;
    for (Intervals bounds : access.bounds()) {
      if (isBehindRange && !bounds.isAll() && bounds != WildcardMatcher.Pairs.ALL.path()) {
        share *= LATER_FIELD_SHARE;
      }
      isBehindRange |= !bounds.isPoint();
    }
    return share;
  }

  /** The conjuncts that bounds do not ensure. */
  static Filter residue(Filter filter, Set<Filter> ensured) {
    var rest = new ArrayList<Filter>();
    for (Filter conjunct : PredicateBounds.conjuncts(filter)) {
      if (!ensured.contains(conjunct)) {
        rest.add(conjunct);
      }
    }
    return rest.size() == 1 ? rest.get(0) : new Filter.And(rest);
  }

  /** The clauses of a disjunction, each by its cheapest index; null if one of them has none. */
  private @Nullable AccessPath union(Filter.Or or, List<IndexFacts> indexes) {
    var scans = new ArrayList<IndexScan>(or.children().size());
    var wins = new IdentityHashMap<IndexSpec, Integer>();
    Allowance allowance = Allowance.current();
    double keys = 0;
    for (Filter clause : or.children()) {
      allowance.step();
      IndexScan best = null;
      double fewest = 0;
      boolean isCounted = scans.size() < COUNTED_CLAUSES_MAX;
      for (IndexScan scan : scans(clause, indexes)) {
        double cost = isCounted ? keys(scan) : -wins.getOrDefault(scan.access().index(), 0);
        if (best == null || cost < fewest) {
          best = scan;
          fewest = cost;
        }
      }
      if (best == null) {
        return null;
      }
      wins.merge(best.access().index(), 1, Integer::sum);
      keys += isCounted ? fewest : keys / scans.size();
      scans.add(best);
    }
    if (scans.isEmpty()) {
      return null;
    }
    var fetch = new FetchNode(filter, filter, new UnionNode(ManyScans.joined(scans)));
    return new AccessPath(fetch, query.order().sort() == null, keys, keys);
  }

  /** The scans that find what matches a clause, each by another index. */
  private static List<IndexScan> scans(Filter clause, List<IndexFacts> indexes) {
    var scans = new ArrayList<IndexScan>();
    var clauseMatcher = new IndexMatcher(clause);
    for (IndexFacts facts : indexes) {
      IndexMatch match = clauseMatcher.mayBound(facts) ? clauseMatcher.match(facts) : null;
      if (match != null && match.isBounded() && isComplete(match, facts, clause)) {
        scans.add(new IndexScan(match.access(), false));
      }
    }
    return scans;
  }
}
