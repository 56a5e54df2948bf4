package dev.orrery.language.geo;

import com.google.common.geometry.S1Angle;
import com.google.common.geometry.S2Cap;
import com.google.common.geometry.S2CellId;
import com.google.common.geometry.S2Point;
import java.util.List;

/**
 * Which keys of a geo index can belong to what is near to a point. Distances are radians on the
 * sphere and units of the coordinates on the plane.
 */
public interface NearKeys {
  /** The keys of all that is at most so far away, and of some more. */
  SphereCover.Wanted within(double radius);

  /** Keys of points that are all nearer than that; as many as a few ranges can tell. */
  List<CellRange> nearerThan(double radius);

  /** Nothing is farther away. */
  double farthest();

  /** How often the place where the center is can be divided. */
  int finest();

  /** The keys of the place around the center after so many divisions. */
  SphereCover.Wanted around(int level);

  /** How far it is about from the middle to the border of a place after so many divisions. */
  double radius(int level);

  /** Those of a 2dsphere index. */
  static NearKeys onSphere(Near near) {
    return new OnSphere(near.axis());
  }

  /** Those of a 2d index, whichever way distances are measured. */
  static NearKeys onPlane(Near near, FlatKeys keys) {
    return new OnPlane(near, keys);
  }

  /** Rings around a point of the sphere. */
  record OnSphere(S2Point axis) implements NearKeys {
    private static final int LEVEL_MAX = 24;

    /**
     * What a cap is made wider, so that no rounding leaves out what is on its border. Caps are kept
     * by the square of their chord, which tells little near the other end of the sphere.
     */
    private static final double ROUNDING_RADIANS = 1e-7;

    /** The radius of a circle that is as large as one of the six faces. */
    private static final double FACE_RADIUS = Math.sqrt(4 * Math.PI / 6 / Math.PI);

    @Override
    public SphereCover.Wanted within(double radius) {
      return SphereCover.ring(cap(Math.min(Math.PI, radius + ROUNDING_RADIANS)));
    }

    private S2Cap cap(double radius) {
      return S2Cap.fromAxisAngle(axis, S1Angle.radians(radius));
    }

    @Override
    public List<CellRange> nearerThan(double radius) {
      return radius <= ROUNDING_RADIANS
          ? List.of()
          : SphereCover.inside(cap(Math.min(Math.PI, radius) - ROUNDING_RADIANS));
    }

    @Override
    public double farthest() {
      return Math.PI;
    }

    @Override
    public int finest() {
      return LEVEL_MAX;
    }

    @Override
    public SphereCover.Wanted around(int level) {
      S2CellId cell = S2CellId.fromPoint(axis).parent(level);
      var range = List.of(new CellRange(cell.rangeMin().id(), cell.rangeMax().id()));
      return new SphereCover.Wanted(range, range);
    }

    @Override
    public double radius(int level) {
      return FACE_RADIUS / (1L << level);
    }
  }

  /** Rings around a point of the plane, of either kind of distance. */
  record OnPlane(Near near, FlatKeys keys) implements NearKeys {
    private static final double ROUNDING = 1e-12;

    /** The radius of a circle that is as large as a square of the length 1. */
    private static final double SQUARE_RADIUS = 1 / Math.sqrt(Math.PI);

    @Override
    public SphereCover.Wanted within(double radius) {
      double wider = radius + keys.resolution() * ROUNDING;
      List<FlatBox> boxes =
          near.isOnSphere()
              ? SphereCap.of(near.center(), radius).onPlane()
              : List.of(FlatBox.around(near.center(), wider, wider));
      return new SphereCover.Wanted(keys.cover(boxes), List.of());
    }

    @Override
    public List<CellRange> nearerThan(double radius) {
      return List.of();
    }

    @Override
    public double farthest() {
      return near.isOnSphere() ? Math.PI : keys.farthest(near.center());
    }

    @Override
    public int finest() {
      return keys.bits();
    }

    @Override
    public SphereCover.Wanted around(int level) {
      return new SphereCover.Wanted(List.of(keys.around(near.center(), level)), List.of());
    }

    @Override
    public double radius(int level) {
      double flat = SQUARE_RADIUS * (keys.max() - keys.min()) / (1L << level);
      return near.isOnSphere() ? Math.min(Math.PI, Math.toRadians(flat)) : flat;
    }
  }
}
