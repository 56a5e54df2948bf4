package dev.orrery.server.plan;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.geo.CellRange;
import dev.orrery.language.geo.Near;
import dev.orrery.language.geo.NearKeys;
import dev.orrery.language.geo.SphereCover;
import dev.orrery.language.limit.Holding;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.FilterMetadata;
import dev.orrery.server.plan.bounds.GeoBounds;
import dev.orrery.server.plan.bounds.Intervals;
import dev.orrery.server.plan.bounds.ScanBounds;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import org.bson.BsonDouble;
import org.jspecify.annotations.Nullable;

/*
 * All that is at most r away has a key in one of the cells that cover the circle with that radius.
 * So after a scan of these cells what was found up to r can be given, the nearest first, and
 * nothing will come that is nearer. Then r grows, and only cells are scanned that were not before:
 *
 *   r1: scan the cells of the circle     give all up to r1, keep the rest
 *   r2: scan those that are new          give all up to r2, with what was kept
 *
 * How large r is at first, the index tells: it counts what is in the cell around the center, in
 * the one around that, and so on, until there is enough. Later a ring with few documents is
 * followed by a wider one, a ring with many by a narrower one.
 */

/** One search of the nearest in one partition. */
final class NearRings implements RowCursor {
  /** The first ring should hold about so many keys. */
  private static final long FIRST_KEYS = 50;

  private static final int FEW = 300;
  private static final int MANY = 600;

  /** The width of the first ring in relation to all, where the index cannot tell. */
  private static final double FIRST_SHARE = 1e-3;

  /** What a row takes beside its document. */
  private static final int ROW_BYTES = 200;

  /** A document, how far away it is in the unit of the search, and when it was found. */
  private record Found(double distance, long number, Row row) {
    static final Comparator<Found> ORDER =
        Comparator.comparingDouble(Found::distance).thenComparingLong(Found::number);

    long bytes() {
      return ROW_BYTES + row.document().length();
    }
  }

  private final NearScan scan;
  private final PlanRun run;
  private final NearKeys keys;
  private final StageStatistics statistics;
  private final SeenRecords seen;
  private final Holding holding;
  private final PriorityQueue<Found> waiting = new PriorityQueue<>(Found.ORDER);
  private final double min;
  private final double max;
  private double radius;
  private double width;
  private long count;
  private boolean isComplete;
  private List<CellRange> pointsDone;
  private List<CellRange> shapesDone = List.of();

  NearRings(NearScan scan, PlanRun run) {
    this.scan = scan;
    this.run = run;
    this.keys = scan.keys();
    this.statistics = run.statisticsOf(scan);
    this.seen = new SeenRecords(run.execution().memory());
    this.holding = new Holding(run.execution().memory());
    Near near = scan.near();
    this.min = near.min() / near.unit();
    this.max = Math.min(near.max() / near.unit(), keys.farthest());
    this.pointsDone = keys.nearerThan(min);
    this.radius = Math.min(min, max);
    this.width = firstWidth();
    run.execution().visit(run.partition().id());
  }

  /** How wide a ring is that holds about as many keys as are wanted at first. */
  private double firstWidth() {
    if (!scan.isFixedBefore() || count(0).isEmpty()) {
      return keys.farthest() * FIRST_SHARE;
    }
    int enough = 0;
    int tooFew = keys.finest() + 1;
    while (tooFew - enough > 1) {
      int middle = (enough + tooFew) / 2;
      if (count(middle).orElse(0) >= FIRST_KEYS) {
        enough = middle;
      } else {
        tooFew = middle;
      }
    }
    long there = count(enough).orElse(0);
    return there < FIRST_KEYS
        ? keys.farthest()
        : keys.radius(enough) * Math.sqrt((double) FIRST_KEYS / there);
  }

  /** How many keys there are in the place around the center after so many divisions. */
  private OptionalLong count(int level) {
    SphereCover.Wanted place = keys.around(level);
    long sum = 0;
    for (SphereCover.Wanted part :
        List.of(
            new SphereCover.Wanted(place.points(), List.of()),
            new SphereCover.Wanted(List.of(), place.shapes()))) {
      Intervals places = GeoBounds.intervals(part);
      if (!places.isEmpty()) {
        var range = ScanBounds.of(scan.at(places), false).range();
        OptionalLong one = run.partition().estimate(scan.access().index(), range);
        if (one.isEmpty()) {
          return one;
        }
        sum += one.getAsLong();
      }
    }
    return OptionalLong.of(sum);
  }

  @Override
  public @Nullable Row next() {
    while (!isComplete && (waiting.isEmpty() || waiting.peek().distance > radius)) {
      grow();
    }
    Found nearest = waiting.poll();
    if (nearest == null) {
      statistics.isAtEnd = true;
      return null;
    }
    holding.grow(-nearest.bytes());
    statistics.advanced++;
    return nearest.row;
  }

  /** Scans the next ring; the last one reaches as far as anything may be. */
  private void grow() {
    run.execution().checkInterruption();
    radius = Math.min(max, radius + width);
    isComplete = radius >= max;
    SphereCover.Wanted wanted = keys.within(radius);
    var fresh =
        new SphereCover.Wanted(
            CellRange.minus(wanted.points(), pointsDone),
            CellRange.minus(wanted.shapes(), shapesDone));
    pointsDone = CellRange.union(pointsDone, wanted.points());
    shapesDone = CellRange.union(shapesDone, wanted.shapes());
    int met = read(GeoBounds.intervals(fresh));
    if (met < FEW) {
      width *= 2;
    } else if (met > MANY) {
      width /= 2;
    }
  }

  private int read(Intervals places) {
    if (places.isEmpty()) {
      return 0;
    }
    var ring = new FetchNode(Filter.ALL, Filter.ALL, new IndexScan(scan.at(places), false));
    RowCursor rows = ring.open(run);
    int met = 0;
    try {
      for (Row row = rows.next(); row != null; row = rows.next()) {
        met++;
        statistics.skipped++;
        if (seen.add(row.stored().recordId())) {
          offer(row);
        }
      }
    } finally {
      rows.close();
    }
    return met;
  }

  /** Keeps a document until its turn comes, if it is neither too near nor too far. */
  private void offer(Row row) {
    Near near = scan.near();
    Near.Found nearest = scan.nearest(row.document());
    if (nearest == null) {
      return; // it has changed since its entry was read, or is not to be found here
    }
    double distance = nearest.distance() * near.unit();
    if (distance < near.min() || distance > near.max()) {
      return;
    }
    var found =
        new Found(
            nearest.distance(),
            count++,
            row.withMetadata(
                Map.of(
                    FilterMetadata.DISTANCE,
                    new BsonDouble(distance),
                    FilterMetadata.POINT,
                    nearest.value().toBsonValue())));
    if (!holding.grow(found.bytes())) {
      throw new CommandException(
          ErrorCode.EXCEEDED_MEMORY_LIMIT,
          "a search of the nearest has no memory for " + waiting.size() + " as near documents");
    }
    waiting.add(found);
  }

  @Override
  public void close() {
    seen.close();
    holding.close();
  }
}
