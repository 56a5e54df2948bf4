package dev.orrery.server.plan;

import dev.orrery.language.geo.FlatKeys;
import dev.orrery.language.geo.Near;
import dev.orrery.language.geo.NearKeys;
import dev.orrery.server.plan.bounds.IndexAccess;
import dev.orrery.server.plan.bounds.Intervals;
import dev.orrery.storage.catalog.IndexField;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/**
 * Reads documents in the order of their distance to a point, by rings around it that grow.
 *
 * @param access what the filter says of the other fields of the index
 * @param place which of its fields holds the places
 */
record NearScan(IndexAccess access, int place, Near near) implements PlanNode {
  @Override
  public RowCursor open(PlanRun run) {
    return new NearRings(this, run);
  }

  FieldPath path() {
    return access.index().fields().get(place).path();
  }

  private boolean isFlat() {
    return access.parts().get(place).kind() == IndexField.Kind.GEO_2D;
  }

  /** What of a document is nearest; null if there is nothing, or the index does not lead there. */
  Near.@Nullable Found nearest(RawDocument document) {
    Near.Found found = near.nearest(document, path());
    boolean isReached =
        found == null
            || !isFlat()
            || !near.isOnSphere()
            || near.isReachedOnPlane(document, path(), found.distance());
    return isReached ? found : null;
  }

  NearKeys keys() {
    return isFlat()
        ? NearKeys.onPlane(near, FlatKeys.of(access.index().document()))
        : NearKeys.onSphere(near);
  }

  /** The part of the index that holds some places. */
  IndexAccess at(Intervals places) {
    var bounds = new ArrayList<>(access.bounds());
    bounds.set(place, places);
    return new IndexAccess(access.index(), access.parts(), bounds, access.multikeyFields(), null);
  }

  /** Whether every field before the places has one value. */
  boolean isFixedBefore() {
    return access.bounds().subList(0, place).stream().allMatch(Intervals::isPoint);
  }

  String stage() {
    return isFlat() ? "GEO_NEAR_2D" : "GEO_NEAR_2DSPHERE";
  }

  @Override
  public List<PlanNode> inputs() {
    return List.of();
  }

  @Override
  public void explain(StageExplanation explanation) {
    explanation
        .stage(stage())
        .add("keyPattern", access.index().keyPattern())
        .add("indexName", new BsonString(access.index().name()))
        .add("indexVersion", new BsonInt32(2));
  }
}
