package dev.orrery.server.plan;

import dev.orrery.language.geo.Near;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.GeoFilters;
import dev.orrery.server.plan.bounds.IndexFacts;
import dev.orrery.server.plan.bounds.IndexMatch;
import dev.orrery.server.plan.bounds.IndexMatcher;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.catalog.IndexField;
import dev.orrery.storage.catalog.IndexSpec;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * Which index finds the nearest: distances of GeoJSON need a 2dsphere index, those of $near with a
 * pair a 2d index, those of $nearSphere with a pair take either. Of several the one is taken of
 * which the filter fixes the most fields. Fields before the place must have conditions.
 */

/** The ways to find documents by their distance. */
final class NearPaths {
  private final Query query;
  private final Filter.Field condition;
  private final Near near;
  private final List<PartitionStore> partitions;
  private final IndexMatcher matcher;

  NearPaths(Query query, Filter.Field condition, List<PartitionStore> partitions) {
    this.query = query;
    this.condition = condition;
    this.near = ((GeoFilters.ByDistance) condition.predicate()).near();
    this.partitions = partitions;
    this.matcher = new IndexMatcher(query.criteria().filter());
  }

  /**
   * The best of them.
   *
   * @param naturalReverse not null if the user wants a scan
   * @param hinted the index that the user wants; null for any
   */
  AccessPath choose(@Nullable Boolean naturalReverse, @Nullable IndexSpec hinted) {
    if (naturalReverse != null) {
      throw PlannerErrors.noGeoIndex();
    }
    AccessPath best = null;
    int most = -1;
    for (IndexSpec index : query.collection().info().readyIndexes()) {
      NearScan scan = index.isHidden() || isOther(index, hinted) ? null : scan(index);
      int fixed = scan == null ? -1 : fixedFields(scan);
      if (fixed > most) {
        best = path(scan);
        most = fixed;
      }
    }
    if (best == null) {
      throw PlannerErrors.noGeoIndex();
    }
    return best;
  }

  private static boolean isOther(IndexSpec index, @Nullable IndexSpec hinted) {
    return hinted != null && !hinted.equals(index);
  }

  private static int fixedFields(NearScan scan) {
    return (int) scan.access().bounds().stream().filter(bounds -> !bounds.isAll()).count();
  }

  private boolean fits(IndexField field) {
    boolean isKind =
        switch (field.kind()) {
          case GEO_2DSPHERE -> near.isOnSphere();
          case GEO_2D -> !near.isGeoJson();
          case ORDERED, HASHED, TEXT, WILDCARD -> false;
        };
    return isKind && field.path().equals(condition.path());
  }

  private @Nullable NearScan scan(IndexSpec index) {
    int place = -1;
    for (int i = 0; i < index.fields().size(); i++) {
      place = fits(index.fields().get(i)) ? i : place;
    }
    if (place < 0) {
      return null;
    }
    var facts = IndexFacts.of(index, query.criteria().collation(), partitions);
    IndexMatch match = matcher.match(facts);
    boolean isUsable =
        match != null
            && (place == 0 || match.isBounded())
            && AccessPaths.isComplete(match, facts, query.criteria().filter());
    return isUsable ? new NearScan(match.access(), place, near) : null;
  }

  private AccessPath path(NearScan scan) {
    var ensured = Collections.newSetFromMap(new IdentityHashMap<Filter, Boolean>());
    ensured.add(condition);
    Filter rest = AccessPaths.residue(query.criteria().filter(), ensured);
    boolean isAll = rest instanceof Filter.And and && and.children().isEmpty();
    double documents = 0;
    for (PartitionStore partition : partitions) {
      documents += partition.statistics().documents();
    }
    PlanNode source = isAll ? scan : new MatchNode(rest, scan);
    return new AccessPath(source, query.order().sort() == null, documents, documents);
  }
}
