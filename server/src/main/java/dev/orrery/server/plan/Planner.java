package dev.orrery.server.plan;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.query.Comparison;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.GeoFilters;
import dev.orrery.language.query.TextFilters;
import dev.orrery.server.expiry.Deadlines;
import dev.orrery.server.expiry.Expiry;
import dev.orrery.server.plan.bounds.IndexFilters;
import dev.orrery.server.plan.bounds.PredicateBounds;
import dev.orrery.storage.PartitionStatistics;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.catalog.CollectionInfo.IndexEntry;
import dev.orrery.storage.catalog.IndexSpec;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/*
 * Which way is taken:
 *
 *   1. A filter that fixes the primary key reads by it.
 *   2. What the user prescribes ($natural, hint, min and max) is done.
 *   3. Among the indexes that narrow the search or give the order, the cheapest.
 *   4. Else the collection is scanned.
 *
 * As in MongoDB an index that applies always wins over the scan, even where the scan would be
 * cheaper: users rely on the order in which an index gives documents, and what they see on a small
 * collection should be what they get on a large one.
 *
 * The cost of an index is what it reads, counted from its own tree at the moment of planning: one
 * for each key, two for each document, one more for each document that must be sorted. A plan that
 * needs no sort ends at the limit. How soon that is depends on how many of the documents it reads
 * match; no plan finds more than the narrowest index promises, so reading d documents of which r
 * match, with a limit of n, costs n * d / r documents. There are no trial runs and no cached
 * plans: the same data and query always give the same plan. Ties go to the older index.
 */

/** Chooses how a query is carried out. */
public final class Planner {
  private static final double DOCUMENT_COST = 2;
  private static final double SORT_COST = 1;
  private static final double SHORT_DOCUMENTS_MAX = 100;
  private static final int ATTEMPTS_MAX = 100;

  private final IndexUses uses;
  private final Expiry expiry;
  private final IndexFilters filters;

  public Planner() {
    this(Clock.systemUTC(), Expiry.NEVER, new IndexFilters());
  }

  /**
   * @param clock tells since when the uses of indexes are counted
   * @param expiry tells which documents no plan finds any more
   * @param filters tells which indexes are not used, also where a hint names them
   */
  public Planner(Clock clock, Expiry expiry, IndexFilters filters) {
    this.filters = filters;
    this.uses = new IndexUses(clock);
    this.expiry = expiry;
  }

  public Expiry expiry() {
    return expiry;
  }

  /** How often indexes were used by the plans of this planner. */
  public IndexUses indexUses() {
    return uses;
  }

  public QueryPlan plan(Query query) {
    return plan(query, targets(query));
  }

  /**
   * The same.
   *
   * @param targets those of the query
   */
  public QueryPlan plan(Query asked, Targets targets) {
    Query query = restricted(asked);
    Targets present = targets;
    for (int attempt = 1; ; attempt++) {
      try {
        return choose(query, present);
      } catch (StorageException e) {
        if (e.reason() == StorageException.Reason.COLLECTION_DROPPED) {
          return nowhere(query);
        }
        requireIndexDropped(e, attempt);
        present = targets(query);
      }
    }
  }

  /** Filter, sort, projection and collation without values: what is planned alike has one shape. */
  public static String shape(Query query) {
    return String.join(
        "|",
        Explanation.shape(FilterText.parsedQuery(query)),
        query.order().document().toString(),
        query.output().document().toString(),
        query.criteria().collation().toString());
  }

  /** The query as it is carried out: users need not know of what restricts it. */
  private Query restricted(Query query) {
    UUID collection = query.collection().info().uuid();
    IndexFilters.Entry filter = filters.find(collection, () -> shape(query));
    return living(filter == null ? query : query.with(Query.Hints.of(filter)));
  }

  /** The same query without documents that are over, although they may still be stored. */
  private Query living(Query query) {
    Deadlines deadlines = expiry.of(query.collection().info());
    if (deadlines == null) {
      return query;
    }
    var clauses = new ArrayList<>(PredicateBounds.conjuncts(query.criteria().filter()));
    clauses.add(new Filter.Whole(deadlines.stillThere()));
    return query.with(new Filter.And(clauses));
  }

  private static Targets targets(Query query) {
    return Targets.of(query);
  }

  /** While indexes are compared one of them may go; the next attempt does not know it any more. */
  private static void requireIndexDropped(StorageException failure, int attempt) {
    if (failure.reason() != StorageException.Reason.INDEX_DROPPED || attempt == ATTEMPTS_MAX) {
      throw failure;
    }
  }

  /** Finds nothing, as there is nothing any more. */
  private NodePlan nowhere(Query query) {
    var scan = new CollectionScan(query.criteria().filter(), false);
    var used = new NodePlan.UsedIndexes(List.of(), false, uses);
    return new NodePlan(query, List.of(), List.of(scan), used, new NodePlan.Effort(0, true));
  }

  private NodePlan choose(Query query, Targets targets) {
    var hinted = new HintedIndex(query);
    Boolean naturalReverse = hinted.naturalReverse();
    IndexSpec index = hinted.find();
    Filter.Field near = GeoFilters.findNear(query.criteria().filter());
    if (near != null) {
      List<PartitionStore> partitions = targets.partitions();
      AccessPath path = new NearPaths(query, near, partitions).choose(naturalReverse, index);
      return assemble(query, partitions, List.of(path));
    }
    TextFilters.Unbound text = TextFilters.find(query.criteria().filter());
    if (text != null) {
      List<PartitionStore> partitions = targets.partitions();
      var paths = new AccessPaths(query, targets);
      AccessPath path = new TextPaths(query, text, paths, partitions).path();
      return assemble(query, partitions, List.of(path));
    }
    if (naturalReverse == null && (index == null || index.isIdIndex())) {
      var keys = query.criteria().hints().min() == null ? targets.primaryKeys() : null;
      if (keys != null && query.criteria().hints().max() == null && !query.output().isKeyOnly()) {
        return lookUp(query, keys);
      }
    }
    List<PartitionStore> partitions = targets.partitions();
    var paths = new AccessPaths(query, targets);
    if (naturalReverse != null) {
      return assemble(query, partitions, List.of(scan(query, partitions, naturalReverse)));
    }
    if (index != null) {
      return assemble(query, partitions, List.of(paths.hinted(index, hinted.range(index))));
    }
    List<AccessPath> choices = ranked(paths.all(), query.window().needed());
    return choices.isEmpty()
        ? assemble(query, partitions, List.of(scan(query, partitions, false)))
        : assemble(query, partitions, choices);
  }

  /**
   * A plan that finds every value of a path at least once; the query's projection keeps nothing but
   * the path.
   */
  public QueryPlan planDistinct(Query asked, Targets targets, String path) {
    Query query = restricted(asked);
    Targets present = targets;
    for (int attempt = 1; ; attempt++) {
      IndexSpec index = DistinctPlan.shortestIndex(query, path);
      try {
        return DistinctPlan.of(choose(by(index, query), present), path);
      } catch (CommandException e) {
        if (index == null || query.indexes().contains(index)) {
          throw e;
        }
        // Nobody asked for the index that was dropped meanwhile.
      } catch (StorageException e) {
        if (e.reason() == StorageException.Reason.COLLECTION_DROPPED) {
          return nowhere(query);
        }
        requireIndexDropped(e, attempt);
      }
      present = targets(query);
    }
  }

  /**
   * A plan that gives of all documents with the same value at a path at least the first one, in the
   * order of the query; null if there is none that leaves others out.
   */
  public @Nullable QueryPlan planFirstOfEach(Query query, Targets targets, String path) {
    return plan(query, targets) instanceof NodePlan plan ? FirstOfEachPlan.of(plan, path) : null;
  }

  private static Query by(@Nullable IndexSpec index, Query query) {
    return index == null
        ? query
        : query.with(new Query.Hints(new BsonString(index.name()), null, null));
  }

  private NodePlan lookUp(Query query, List<PrimaryKeyLookup.Key> keys) {
    Filter filter = query.criteria().filter();
    boolean isById =
        filter instanceof Filter.Field field
            && field.predicate() instanceof Comparison
            && keys.size() == 1;
    // Under a collection's own collation ids may share a key and differ for the query's.
    boolean isSure = isById && !query.collection().info().options().containsKey("collation");
    var lookup = new PrimaryKeyLookup(keys, filter, isById, isSure);
    boolean isSorted = query.order().sort() == null || keys.size() < 2;
    var path = new AccessPath(lookup, isSorted, keys.size(), keys.size());
    return assemble(query, owners(query, keys), List.of(path));
  }

  private static List<PartitionStore> owners(Query query, List<PrimaryKeyLookup.Key> keys) {
    if (keys.isEmpty()) { // nothing can match, but every plan runs somewhere
      return query.source().view().partitions(query.collection()).subList(0, 1);
    }
    return keys.size() == 1
        ? List.of(keys.get(0).partition())
        : Targets.distinct(keys.stream().map(PrimaryKeyLookup.Key::partition).toList());
  }

  private static AccessPath scan(Query query, List<PartitionStore> partitions, boolean isReverse) {
    double documents = 0;
    for (PartitionStore partition : partitions) {
      PartitionStatistics known = partition.statisticsAtHand();
      documents += (known == null ? partition.statistics() : known).documents();
    }
    var scan = new CollectionScan(query.criteria().filter(), isReverse);
    return new AccessPath(scan, query.order().sort() == null, 0, documents);
  }

  private static List<AccessPath> ranked(List<AccessPath> paths, long needed) {
    double matching =
        paths.stream().mapToDouble(AccessPath::documents).min().orElse(Double.MAX_VALUE);
    var ranked = new ArrayList<>(paths);
    ranked.sort(Comparator.comparingDouble(path -> cost(path, matching, needed)));
    return ranked;
  }

  private static double cost(AccessPath path, double matching, long needed) {
    double share = 1;
    if (path.isSorted() && needed > 0 && matching > 0) {
      share = Math.min(1, needed / matching);
    }
    double sort = path.isSorted() ? 0 : SORT_COST * path.documents();
    double fetch = path.isCovered() ? 0 : DOCUMENT_COST * path.documents();
    return share * (path.keys() + fetch) + sort;
  }

  /** The best path with everything that comes after it. */
  private NodePlan assemble(Query query, List<PartitionStore> partitions, List<AccessPath> ranked) {
    var trees = new ArrayList<PlanNode>();
    for (AccessPath path : ranked) {
      trees.add(tree(query, partitions, path));
    }
    AccessPath best = ranked.get(0);
    double sooner =
        best.isSorted() && query.window().needed() > 0 && isUnfiltered(query)
            ? query.window().needed()
            : best.documents();
    boolean isScan = best.source() instanceof CollectionScan;
    boolean isShort = !isScan && Math.min(sooner, best.documents()) < SHORT_DOCUMENTS_MAX;
    var used = new NodePlan.UsedIndexes(indexes(query, best), isScan, uses);
    var effort = new NodePlan.Effort(best.documents(), isShort);
    return new NodePlan(query, partitions, trees, used, effort);
  }

  private static List<IndexSpec> indexes(Query query, AccessPath path) {
    if (!(path.source() instanceof PrimaryKeyLookup)) {
      return path.indexes();
    }
    for (IndexEntry entry : query.collection().info().indexes()) {
      if (entry.spec().isIdIndex()) {
        return List.of(entry.spec());
      }
    }
    return List.of();
  }

  private static boolean isUnfiltered(Query query) {
    return query.criteria().filter() instanceof Filter.And and && and.children().isEmpty();
  }

  /*
   * On one partition: PROJECT(SKIP(SORT(k)(path))) or LIMIT(PROJECT(SKIP(path))), where the path
   * itself skips entries of an index that all match.
   * On several: MERGE with skip and limit, over PROJECT(SORT(k)(path)) or LIMIT(k)(PROJECT(path)),
   * where k = skip + limit.
   */
  private static PlanNode tree(Query query, List<PartitionStore> partitions, AccessPath path) {
    boolean isPartitioned = query.collection().info().partitionKey() != null;
    Query.Window window = query.window();
    PlanNode node = path.source();
    if (!path.isSorted()) {
      node = new SortNode(query.order().sort(), query.order().document(), window.needed(), node);
    }
    if (!isPartitioned && window.skip() > 0) {
      node = SkipNode.over(node, window.skip());
    }
    node = output(query, node);
    long limit = isPartitioned ? window.needed() : window.limit();
    if (path.isSorted() && limit > 0) {
      node = new LimitNode(limit, node);
    }
    return isPartitioned ? new PartitionsNode(node, partitions, order(query), window) : node;
  }

  /** In which order the rows of several partitions are merged; null for any. */
  private static PartitionsNode.@Nullable RowOrder order(Query query) {
    if (query.order().sort() != null) {
      return PartitionsNode.RowOrder.by(query.order().sort());
    }
    return GeoFilters.findNear(query.criteria().filter()) == null
        ? null
        : PartitionsNode.RowOrder.BY_DISTANCE;
  }

  private static PlanNode output(Query query, PlanNode input) {
    Query.Output output = query.output();
    PlanNode node = output.isKeyOnly() ? new ReturnKeyNode(input) : input;
    return output.projection() == null && !output.hasRecordId()
        ? node
        : new ProjectNode(
            output.projection(),
            output.document(),
            output.hasRecordId(),
            query.order().sort(),
            node);
  }
}
