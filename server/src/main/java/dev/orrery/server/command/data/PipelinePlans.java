package dev.orrery.server.command.data;

import dev.orrery.language.aggregate.stage.SourceQuery;
import dev.orrery.language.query.FilterMetadata;
import dev.orrery.language.query.SortPattern;
import dev.orrery.server.plan.Planner;
import dev.orrery.server.plan.Query;
import dev.orrery.server.plan.QueryPlan;
import dev.orrery.server.plan.Targets;
import dev.orrery.storage.CollectionStore;
import dev.orrery.value.RawDocument;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.jspecify.annotations.Nullable;

/** Plans for the query that a pipeline begins with. */
final class PipelinePlans {
  private PipelinePlans() {}

  static Query query(@Nullable CollectionStore collection, SourceQuery source) {
    SourceQuery.Criteria criteria = source.criteria();
    Query query =
        Query.of(collection, criteria.filter(), criteria.document())
            .with(criteria.collation())
            .with(new Query.Window(source.skip(), source.limit()))
            .with(Query.Output.having(source.demand().fields()));
    if (criteria.hint() != null) {
      query = query.with(new Query.Hints(criteria.hint(), null, null));
    }
    return source.sort() == null
        ? query
        : query.with(new Query.Order(source.sort(), source.sortDocument(), false));
  }

  /**
   * @param query that of the source
   * @param targets those of the query
   */
  static QueryPlan plan(Planner planner, SourceQuery source, Query query, Targets targets) {
    SourceQuery.OneOfEach one = source.demand().one();
    // Of several partitions each has a last document, and the last of these is not known here.
    boolean isPossible =
        one != null
            && FilterMetadata.of(query.criteria().filter()).isEmpty()
            && query.order().sort().parts().stream().allMatch(part -> part.path() != null)
            && (!one.isLast() || query.collection().info().partitionKey() == null);
    Query ordered = isPossible && one.isLast() ? turned(query) : query;
    QueryPlan firsts = isPossible ? planner.planFirstOfEach(ordered, targets, one.path()) : null;
    return firsts == null ? Plans.forAggregate(planner, query, targets) : firsts;
  }

  /** The same against its order, which is one of paths. */
  private static Query turned(Query query) {
    var pattern = new BsonDocument();
    for (SortPattern.Part part : query.order().sort().parts()) {
      pattern.append(part.path().dotted(), new BsonInt32(part.isDescending() ? 1 : -1));
    }
    var document = RawDocument.of(pattern);
    var sort = SortPattern.parse(document, query.criteria().collation().order());
    return query.with(new Query.Order(sort, document, false));
  }
}
