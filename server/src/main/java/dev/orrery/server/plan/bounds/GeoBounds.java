package dev.orrery.server.plan.bounds;

import dev.orrery.language.geo.CellRange;
import dev.orrery.language.geo.FlatBox;
import dev.orrery.language.geo.FlatKeys;
import dev.orrery.language.geo.Region;
import dev.orrery.language.geo.SphereCover;
import dev.orrery.language.query.GeoFilters;
import dev.orrery.language.query.ValuePredicate;
import dev.orrery.storage.catalog.IndexField;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.StringOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.bson.BsonDateTime;
import org.bson.BsonInt64;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Which keys of a geo index lie where a condition looks; whether they match is to be seen. */
public final class GeoBounds {
  private GeoBounds() {}

  /** The bounds of a condition on a geo field; null when it says nothing about its keys. */
  static @Nullable FieldBounds of(ValuePredicate predicate, IndexSpec index, IndexField field) {
    if (predicate instanceof GeoFilters.ByDistance) {
      return inexact(Intervals.ALL); // how far it must look is found out on the way
    }
    if (!(predicate instanceof GeoFilters.InRegion in)) {
      return null;
    }
    return field.kind() == IndexField.Kind.GEO_2D
        ? onPlane(in.region(), index)
        : onSphere(in.region());
  }

  private static FieldBounds inexact(Intervals intervals) {
    return new FieldBounds(intervals, false, true);
  }

  private static @Nullable FieldBounds onSphere(Region region) {
    SphereCover.Wanted wanted = SphereCover.find(region);
    return wanted == null ? null : inexact(intervals(wanted));
  }

  private static @Nullable FieldBounds onPlane(Region region, IndexSpec index) {
    List<FlatBox> boxes = region.onPlane();
    return boxes == null
        ? null
        : inexact(
            intervals(
                new SphereCover.Wanted(FlatKeys.of(index.document()).cover(boxes), List.of())));
  }

  /** The keys of places; points are numbers in an index, shapes are dates. */
  public static Intervals intervals(SphereCover.Wanted wanted) {
    var list = new ArrayList<Interval>();
    add(wanted.points(), BsonInt64::new, list);
    add(wanted.shapes(), BsonDateTime::new, list);
    return Intervals.of(list);
  }

  private static void add(
      List<CellRange> ranges, LongFunction<BsonValue> value, List<Interval> list) {
    for (CellRange range : ranges) {
      list.add(
          new Interval(
              Interval.Bound.of(value.apply(range.low()), true, StringOrder.UTF8),
              Interval.Bound.of(value.apply(range.high()), true, StringOrder.UTF8)));
    }
  }
}
