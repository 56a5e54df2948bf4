package dev.orrery.server.plan;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.TextFilters;
import dev.orrery.language.text.TextFields;
import dev.orrery.language.text.TextSearch;
import dev.orrery.server.plan.bounds.IndexAccess;
import dev.orrery.server.plan.bounds.IndexFacts;
import dev.orrery.server.plan.bounds.IndexMatch;
import dev.orrery.server.plan.bounds.IndexMatcher;
import dev.orrery.server.plan.bounds.Interval;
import dev.orrery.server.plan.bounds.Intervals;
import dev.orrery.server.plan.bounds.PredicateBounds;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.catalog.IndexField;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.StringOrder;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonString;

/** The way to find documents by their words: the postings of all terms, then an exact look. */
final class TextPaths {
  private static final String UNUSABLE =
      "failed to use text index to satisfy $text query (if text index is compound, are equality"
          + " predicates given for all prefix fields?)";

  private final Query query;
  private final TextFilters.Unbound condition;
  private final AccessPaths paths;
  private final List<PartitionStore> partitions;

  TextPaths(
      Query query,
      TextFilters.Unbound condition,
      AccessPaths paths,
      List<PartitionStore> partitions) {
    this.query = query;
    this.condition = condition;
    this.paths = paths;
    this.partitions = partitions;
  }

  AccessPath path() {
    List<IndexSpec> texts =
        query.collection().info().readyIndexes().stream()
            .filter(index -> index.has(IndexField.Kind.TEXT))
            .toList();
    if (texts.isEmpty()) {
      throw new CommandException(ErrorCode.INDEX_NOT_FOUND, "text index required for $text query");
    }
    IndexSpec index = texts.get(0);
    if (index.isHidden()) {
      throw noPlan("need exactly one text index for $text query");
    }
    TextFields fields = TextFields.of(index.document());
    var search = new TextSearch(condition.request(), fields);
    Filter filter = TextFilters.bound(query.criteria().filter(), fields);
    var facts = IndexFacts.of(index, query.criteria().collation(), partitions);
    if (facts.partial() != null && !paths.implies(facts)) {
      throw noPlan(UNUSABLE);
    }
    IndexScan postings = new IndexScan(postings(facts, search), false);
    var top = new ArrayList<Filter>();
    Filter.Or or = null;
    for (Filter conjunct : PredicateBounds.conjuncts(filter)) {
      if (!isSearch(conjunct)) {
        top.add(conjunct);
        or = or == null && conjunct instanceof Filter.Or one && holdsSearch(one) ? one : or;
      }
    }
    PlanNode source = or == null ? postings : union(or, postings);
    PlanNode fetch = new FetchNode(Filter.ALL, Filter.ALL, source);
    PlanNode node = new TextNode(index, search, or == null, fetch);
    if (!top.isEmpty()) {
      node = new MatchNode(top.size() == 1 ? top.get(0) : new Filter.And(top), node);
    }
    double keys = paths.keys(postings);
    return new AccessPath(node, query.order().sort() == null, keys, keys);
  }

  private static boolean isSearch(Filter filter) {
    return filter instanceof Filter.Whole whole && whole.predicate() instanceof TextFilters.Bound;
  }

  private static boolean holdsSearch(Filter filter) {
    if (filter instanceof Filter.Or or) {
      return or.children().stream().anyMatch(TextPaths::holdsSearch);
    }
    if (filter instanceof Filter.And and) {
      return and.children().stream().anyMatch(TextPaths::holdsSearch);
    }
    return isSearch(filter);
  }

  /** The other clauses must have indexes, too. */
  private PlanNode union(Filter.Or or, IndexScan postings) {
    var scans = new ArrayList<IndexScan>();
    for (Filter clause : or.children()) {
      if (holdsSearch(clause)) {
        scans.add(postings);
        continue;
      }
      List<IndexScan> found = paths.scans(clause);
      if (found.isEmpty()) {
        throw noPlan(
            "Failed to produce a solution for TEXT under OR - other non-TEXT clauses under OR have"
                + " to be indexed as well.");
      }
      scans.add(found.get(0));
    }
    return new UnionNode(ManyScans.joined(scans));
  }

  /** The entries of all terms; fields before them must have one value each. */
  private IndexAccess postings(IndexFacts facts, TextSearch search) {
    IndexMatch match = new IndexMatcher(query.criteria().filter()).matchText(facts);
    IndexAccess access = match.access();
    var bounds = new ArrayList<>(access.bounds());
    int text = 0;
    while (access.parts().get(text).kind() != IndexField.Kind.TEXT) {
      if (!bounds.get(text).isPoint()) {
        throw noPlan(UNUSABLE);
      }
      text++;
    }
    bounds.set(text, terms(search));
    return new IndexAccess(
        access.index(), access.parts(), bounds, access.multikeyFields() | 1L << text, null);
  }

  private static Intervals terms(TextSearch search) {
    return Intervals.of(
        search.terms().stream()
            .map(term -> Interval.point(new BsonString(term), StringOrder.UTF8))
            .toList());
  }

  private static CommandException noPlan(String reason) {
    return new CommandException(ErrorCode.NO_QUERY_EXECUTION_PLANS, reason);
  }
}
