package dev.orrery.language.geo;

import com.google.common.geometry.S2CellId;
import com.google.common.geometry.S2Point;
import com.google.common.geometry.S2Region;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one field of a 2dsphere index: cells of the sphere, those of points as numbers, those
 * of shapes as dates.
 *
 * @param version 1 knows neither collections of shapes nor documents without any
 */
public record SphereKeys(int version, int coarsest, int finest) {
  static final int COARSEST_DEFAULT = 0;
  static final int FINEST_DEFAULT = 23;

  /** Reads the options of an index that was accepted before. */
  public static SphereKeys of(BsonDocument index) {
    return new SphereKeys(
        number(index, "2dsphereIndexVersion", 3),
        number(index, "coarsestIndexedLevel", COARSEST_DEFAULT),
        number(index, "finestIndexedLevel", FINEST_DEFAULT));
  }

  static int number(BsonDocument index, String name, int absent) {
    BsonValue value = index.get(name);
    return value != null && value.isNumber() ? value.asNumber().intValue() : absent;
  }

  /** Whether documents without geometry are left out. */
  public boolean isSparse() {
    return version > 1;
  }

  /**
   * The keys of a document; empty when there is no geometry at the path.
   *
   * @throws InvalidGeometryException when there is something else
   */
  public Collection<BsonValue> of(RawDocument document, FieldPath path) {
    Set<BsonValue> keys = new LinkedHashSet<>();
    path.visit(
        document,
        FieldPath.LeafArrays.KEEP,
        (value, index) -> {
          if (!isNothing(value)) {
            add(path.part(path.size() - 1), value, keys);
          }
          return false;
        });
    return keys;
  }

  private boolean isNothing(@Nullable RawValue value) {
    if (value == null) {
      return true;
    }
    boolean isNull = value.type() == RawTypes.NULL || value.type() == RawTypes.UNDEFINED;
    boolean isEmpty = FlatPoint.isContainer(value) && value.asDocument().isEmpty();
    return isEmpty || (isNull && isSparse());
  }

  private void add(String name, RawValue value, Set<BsonValue> keys) {
    Geometry geometry = Geometry.stored(name, value);
    if (geometry.isStrict()) {
      throw new InvalidGeometryException("can't index geometry with strict winding order");
    }
    if (version == 1 && !isSimple(geometry)) {
      throw new InvalidGeometryException("given geometry can't be indexed in the old index format");
    }
    if (!geometry.isOnEarth()) {
      throw new InvalidGeometryException(
          "can't project geometry into spherical CRS: " + GeoText.value(value));
    }
    Geometry there = geometry.onSphere();
    for (S2Point point : there.points()) {
      keys.add(new BsonInt64(S2CellId.fromPoint(point).id()));
    }
    int cellsMax = SphereCover.cellsOfEach(there.lines().size() + there.polygons().size());
    there.lines().forEach(line -> addShape(new CountedRegion(line), cellsMax, keys));
    there.polygons().forEach(polygon -> addShape(new CountedRegion(polygon), cellsMax, keys));
  }

  private void addShape(S2Region shape, int cellsMax, Set<BsonValue> keys) {
    for (S2CellId cell : SphereCover.cells(shape, cellsMax, coarsest, finest)) {
      keys.add(new BsonDateTime(cell.id()));
    }
  }

  private static boolean isSimple(Geometry geometry) {
    return geometry.pair() != null
        || geometry.points().size() + geometry.lines().size() + geometry.polygons().size() == 1;
  }
}
