package dev.orrery.language.geo;

import com.google.common.geometry.S2CellId;
import com.google.common.geometry.S2Point;
import com.google.common.geometry.S2Region;
import com.google.common.geometry.S2RegionCoverer;
import com.google.common.geometry.S2RegionUnion;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/*
 * The sphere is divided into cells, each of them into four, down to cells of a centimetre at level
 * 30. The number of a cell lies in the middle of the numbers of all cells in it, so "in this cell"
 * is one range of numbers. A point has one key, its smallest cell. A line or a polygon has a key
 * for each of a few cells that cover it. A query covers its region with a few cells, too, and wants
 * for each of these
 *
 *   the points in it             one range
 *   the cells of shapes in it    one range
 *   the cells of shapes that     one number for each level above
 *   it lies in
 *
 * Keys of points and keys of shapes are kept apart, as numbers and as dates: most indexes have no
 * shapes, and a scan sees that from one seek instead of trying every level above.
 */

/** Covers regions of the sphere with cells: the keys of 2dsphere indexes. */
public final class SphereCover {
  /** Twenty cells of a circle take in half as much again as it holds, so many a tenth of it. */
  private static final int REGION_CELLS_MAX = 128;

  /** Rings are many, and what they take in too early is not lost. */
  private static final int RING_CELLS_MAX = 20;

  private static final int SHAPE_CELLS_MAX = 20;

  /** When the parts of a geometry would have more cells than that, each gets fewer. */
  private static final int TOGETHER_CELLS_MAX = 20_000;

  /** Finer cells than that would cost a query more than they spare it. */
  private static final int QUERY_LEVEL_MAX = 24;

  /** Numbers of smallest cells are odd. */
  private static final int CELL_STEP = 2;

  private SphereCover() {}

  /**
   * What a query has to look for.
   *
   * @param points the ranges of points, in ascending order and apart
   * @param shapes the same of cells of shapes
   */
  public record Wanted(List<CellRange> points, List<CellRange> shapes) {}

  /** All of a geometry as one region; a point on a border lies in one of the cells only. */
  static S2Region region(Geometry geometry) {
    var parts = new ArrayList<S2Region>();
    for (S2Point point : geometry.points()) {
      parts.add(SphereParts.cell(point));
    }
    geometry.lines().forEach(line -> parts.add(new CountedRegion(line)));
    geometry.polygons().forEach(polygon -> parts.add(new CountedRegion(polygon)));
    return parts.size() == 1 ? parts.get(0) : new S2RegionUnion(parts);
  }

  /** What a query on a region has to look for; null if it is not on the sphere. */
  public static @Nullable Wanted find(Region region) {
    S2Region there = region.onSphere();
    return there == null ? null : wanted(there, REGION_CELLS_MAX);
  }

  /** The same for a part of a search that goes on in rings. */
  static Wanted ring(S2Region region) {
    return wanted(region, RING_CELLS_MAX);
  }

  private static Wanted wanted(S2Region region, int cellsMax) {
    var coverer =
        S2RegionCoverer.builder().setMaxCells(cellsMax).setMaxLevel(QUERY_LEVEL_MAX).build();
    var cells = new ArrayList<S2CellId>();
    coverer.getCovering(region, cells);
    return wanted(cells);
  }

  /** Ranges of points that a region surely holds. */
  static List<CellRange> inside(S2Region region) {
    var coverer =
        S2RegionCoverer.builder().setMaxCells(RING_CELLS_MAX).setMaxLevel(QUERY_LEVEL_MAX).build();
    var cells = new ArrayList<S2CellId>();
    coverer.getInteriorCovering(region, cells);
    var points = new ArrayList<CellRange>();
    cells.forEach(cell -> points.add(new CellRange(cell.rangeMin().id(), cell.rangeMax().id())));
    return CellRange.joined(points, CELL_STEP);
  }

  private static Wanted wanted(List<S2CellId> cells) {
    var points = new ArrayList<CellRange>();
    Set<CellRange> above = new HashSet<>();
    for (S2CellId cell : cells) {
      points.add(new CellRange(cell.rangeMin().id(), cell.rangeMax().id()));
      for (int level = 0; level < cell.level(); level++) {
        long parent = cell.parent(level).id();
        above.add(new CellRange(parent, parent));
      }
    }
    var shapes = new ArrayList<>(points);
    shapes.addAll(above);
    return new Wanted(CellRange.joined(points, CELL_STEP), CellRange.joined(shapes, CELL_STEP));
  }

  /** How many cells each of some shapes has, which are stored together. */
  static int cellsOfEach(int shapes) {
    return Math.max(1, Math.min(SHAPE_CELLS_MAX, TOGETHER_CELLS_MAX / Math.max(1, shapes)));
  }

  /** Some cells that cover a shape, none finer than asked for, and as few as that allows. */
  static List<S2CellId> cells(S2Region shape, int cellsMax, int coarsest, int finest) {
    var coverer = S2RegionCoverer.builder().setMaxCells(cellsMax).setMaxLevel(finest).build();
    var cells = new ArrayList<S2CellId>();
    coverer.getCovering(shape, cells);
    return coarsest == 0 ? cells : refined(cells, coarsest);
  }

  /** Divides cells that are too coarse, as long as that does not make too many of them. */
  private static List<S2CellId> refined(List<S2CellId> cells, int coarsest) {
    var fine = new ArrayList<S2CellId>();
    for (S2CellId cell : cells) {
      int levels = coarsest - cell.level();
      if (levels <= 0 || levels > 2) {
        fine.add(cell);
      } else {
        cell.childrenAtLevel(coarsest).forEach(fine::add);
      }
    }
    return fine;
  }
}
