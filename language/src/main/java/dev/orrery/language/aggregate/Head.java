package dev.orrery.language.aggregate;

import dev.orrery.language.aggregate.stage.PipelineRun;
import dev.orrery.language.aggregate.stage.SourceQuery;
import dev.orrery.language.aggregate.stage.Stage;
import dev.orrery.language.expression.Dependencies;
import dev.orrery.language.query.Filter;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * The stages at the start of a pipeline that a query can do: matches, then a sort, then skips and
 * limits.
 *
 * @param length how many stages these are
 */
record Head(List<MatchStage> matches, @Nullable SortStage sort, long skip, long limit, int length) {

  static Head of(List<Stage> stages) {
    var matches = new ArrayList<MatchStage>();
    SortStage sort = null;
    long skip = 0;
    long limit = 0;
    int length = 0;
    for (Stage stage : stages) {
      boolean isCut = skip > 0 || limit > 0;
      if (stage instanceof MatchStage match && !isCut) {
        matches.add(match);
      } else if (stage instanceof SortStage one && sort == null && !isCut) {
        sort = one;
      } else if (stage instanceof SkipStage one && limit == 0 && skip + one.count() >= 0) {
        skip += one.count();
      } else if (stage instanceof LimitStage one) {
        limit = limit == 0 ? one.count() : Math.min(limit, one.count());
      } else {
        break;
      }
      length++;
    }
    return new Head(matches, sort, skip, limit, length);
  }

  /** What the collection is asked for by the stages of a pipeline that begins with this. */
  SourceQuery query(SourceQuery all, PipelineRun run, List<Stage> stages) {
    return !stages.isEmpty() && stages.get(0) instanceof GeoNearStage near
        ? near.query(all, run)
        : query(all, run);
  }

  private SourceQuery query(SourceQuery all, PipelineRun run) {
    SourceQuery query = all;
    if (matches.size() == 1) {
      query = query.with(matches.get(0).bound(run), matches.get(0).document());
    } else if (!matches.isEmpty()) {
      List<Filter> filters = new ArrayList<>();
      var documents = new BsonArray();
      for (MatchStage match : matches) {
        filters.add(match.bound(run));
        documents.add(match.document().toBsonDocument());
      }
      query =
          query.with(new Filter.And(filters), RawDocument.of(new BsonDocument("$and", documents)));
    }
    if (sort != null) {
      query = query.with(sort.key().pattern(), sort.rawPattern());
    }
    return query.withWindow(skip, limit);
  }

  /** What the stages that follow read of what it finds. */
  SourceQuery.Demand demand(List<Stage> rest) {
    var dependencies = new Dependencies();
    Pipeline.addDependencies(rest, dependencies);
    Set<String> fields =
        dependencies.needsWholeDocument() ? null : Set.copyOf(dependencies.fields());
    boolean isOrdered = sort != null && skip == 0 && limit == 0 && sort.limit() == 0;
    boolean isGrouped = isOrdered && !rest.isEmpty() && rest.get(0) instanceof GroupStage;
    return new SourceQuery.Demand(fields, isGrouped ? ((GroupStage) rest.get(0)).one() : null);
  }
}
