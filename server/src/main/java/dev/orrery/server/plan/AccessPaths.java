package dev.orrery.server.plan;

import dev.orrery.server.query.Collation;
import dev.orrery.server.query.Filter;
import dev.orrery.server.query.FilterParser;
import dev.orrery.storage.IndexRange;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.PartitionStore.FieldsSeen;
import dev.orrery.storage.index.IndexSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** All ways to find the documents of a query by its collection's indexes. */
final class AccessPaths {
  private static final int SAMPLES_MAX = 10;

  /** How much a condition on a later field is taken to narrow a scan. */
  private static final double LATER_FIELD_SHARE = 0.1;

  private final Query query;
  private final Filter filter;
  private final List<PartitionStore> partitions;
  private final IndexMatcher matcher;
  private final @Nullable Set<String> wanted;

  AccessPaths(Query query, List<PartitionStore> partitions) {
    this.query = query;
    this.filter = query.criteria().filter();
    this.partitions = partitions;
    this.matcher = new IndexMatcher(filter, query.criteria().collation());
    this.wanted = Covering.wanted(query);
  }

  /** Every index that narrows the search or gives the order; in the order of their creation. */
  List<AccessPath> all() {
    var paths = new ArrayList<AccessPath>();
    List<IndexSpec> indexes = visibleIndexes();
    for (IndexSpec index : indexes) {
      IndexMatch match = matcher.match(index, multikeyFields(index));
      if (match != null && isComplete(match, filter)) {
        AccessPath path = path(match);
        if (match.isBounded() || (path.isSorted() && query.order().sort() != null)) {
          paths.add(path);
        }
      }
    }
    for (Filter conjunct : PredicateBounds.conjuncts(filter)) {
      AccessPath union = conjunct instanceof Filter.Or or ? union(or, indexes) : null;
      if (union != null) {
        paths.add(union);
      }
    }
    return paths;
  }

  private List<IndexSpec> visibleIndexes() {
    return query.collection().info().readyIndexes().stream()
        .filter(index -> !index.isHidden())
        .toList();
  }

  /** The path through the index that the user wants, whatever it costs or leaves out. */
  AccessPath hinted(IndexSpec index, @Nullable IndexRange range) {
    IndexMatch match = matcher.match(index, multikeyFields(index));
    if (match == null) {
      throw PlannerErrors.noSolution();
    }
    if (range == null) {
      return path(match);
    }
    IndexAccess whole = match.access();
    var bounds = whole.bounds().stream().map(any -> Intervals.ALL).toList();
    var access = new IndexAccess(index, whole.parts(), bounds, whole.multikeyFields(), range);
    return path(new IndexMatch(access, true, true, Set.of()));
  }

  private long multikeyFields(IndexSpec index) {
    return fieldsSeen(index).multikeyFields();
  }

  private FieldsSeen fieldsSeen(IndexSpec index) {
    var seen = FieldsSeen.NOTHING;
    for (PartitionStore partition : partitions) {
      seen = seen.with(partition.statistics(index).fields());
    }
    return seen;
  }

  /** Whether the index has every document that matches. */
  private static boolean isComplete(IndexMatch match, Filter filter) {
    IndexSpec index = match.access().index();
    if (index.isSparse() && !match.excludesMissing()) {
      return false;
    }
    BsonDocument partial = index.partialFilter();
    return partial == null || PartialImplication.implies(filter, FilterParser.parse(partial));
  }

  private AccessPath path(IndexMatch match) {
    SortMatch sort = sortMatch(match.access());
    var scan = new IndexScan(match.access(), sort == SortMatch.REVERSE);
    double keys = keys(scan);
    double documents = keys * laterShare(match.access());
    boolean isSorted = query.order().sort() == null || sort != SortMatch.NONE;
    MergeSortNode merge = isSorted ? null : merge(match.access());
    return merge == null
        ? new AccessPath(source(match, scan), isSorted, keys, documents)
        : new AccessPath(source(match, merge), true, keys, documents);
  }

  private @Nullable MergeSortNode merge(IndexAccess access) {
    return matcher.isSameCollation(access.index()) && !access.isWildcard()
        ? Explosion.of(access, query.order())
        : null;
  }

  private PlanNode source(IndexMatch match, PlanNode scan) {
    Filter residue = residue(filter, match.ensured());
    boolean isEnsured = residue instanceof Filter.And and && and.children().isEmpty();
    Covering covering =
        wanted == null || !isEnsured
            ? null
            : Covering.of(match.access(), wanted, fieldsSeen(match.access().index()));
    return covering == null
        ? new FetchNode(filter, residue, scan)
        : new KeyNode(covering, filter, scan);
  }

  private SortMatch sortMatch(IndexAccess access) {
    boolean canSort = query.order().sort() != null && matcher.isSameCollation(access.index());
    return canSort && !access.isWildcard()
        ? SortMatch.of(access, query.order().sort())
        : SortMatch.NONE;
  }

  private double keys(IndexScan scan) {
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
        sum += partition.estimate(scan.access().index(), range);
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
  private static Filter residue(Filter filter, Set<Filter> ensured) {
    var rest = new ArrayList<Filter>();
    for (Filter conjunct : PredicateBounds.conjuncts(filter)) {
      if (!ensured.contains(conjunct)) {
        rest.add(conjunct);
      }
    }
    return rest.size() == 1 ? rest.get(0) : new Filter.And(rest);
  }

  /** The clauses of a disjunction, each by its cheapest index; null if one of them has none. */
  private @Nullable AccessPath union(Filter.Or or, List<IndexSpec> indexes) {
    var scans = new ArrayList<PlanNode>();
    double keys = 0;
    for (Filter clause : or.children()) {
      IndexScan best = null;
      double fewest = 0;
      var clauseMatcher = new IndexMatcher(clause, collation());
      for (IndexSpec index : indexes) {
        IndexMatch match = clauseMatcher.match(index, multikeyFields(index));
        if (match != null && match.isBounded() && isComplete(match, clause)) {
          var scan = new IndexScan(match.access(), false);
          double cost = keys(scan);
          if (best == null || cost < fewest) {
            best = scan;
            fewest = cost;
          }
        }
      }
      if (best == null) {
        return null;
      }
      scans.add(best);
      keys += fewest;
    }
    if (scans.isEmpty()) {
      return null;
    }
    var fetch = new FetchNode(filter, filter, new UnionNode(scans));
    return new AccessPath(fetch, query.order().sort() == null, keys, keys);
  }

  private Collation collation() {
    return query.criteria().collation();
  }
}
