package dev.orrery.benchmarks.search;

import dev.orrery.benchmarks.servers.ProcessUsage;
import dev.orrery.benchmarks.servers.Target;
import dev.orrery.benchmarks.workload.Loading;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt64;
import org.bson.BsonString;

/**
 * Points on the sphere under a 2dsphere index. Half of them lie anywhere; the others lie about a
 * thousand towns, as people do.
 */
final class Places {
  private static final String COLLECTION = "places";
  private static final int TOWNS = 1000;
  private static final double TOWN_DEGREES = 0.1;
  private static final int NEAREST = 10;
  private static final String INDEX = "loc_1";
  private static final double NANOS_PER_MILLI = 1e6;

  /** The radius of a circle that holds a hundredth of the sphere, in radians. */
  private static final double HUNDREDTH = Math.acos(1 - 2 * 0.01);

  /** About 20 km, in radians. */
  private static final double TOWN_RADIUS = 20 / 6378.1;

  private static final int CORNERS = 24;

  /** CPU time is told in steps of ten milliseconds, so a quick search is measured many times. */
  private static final int REPETITIONS = 30;

  private static final int WARMUPS = 3;

  private final Target target;
  private final int count;
  private final double[][] towns = new double[TOWNS][];

  Places(Target target, int count) {
    this.target = target;
    this.count = count;
    var random = new Random(3);
    Arrays.setAll(towns, i -> anywhere(random));
  }

  private static double[] anywhere(Random random) {
    double latitude = Math.toDegrees(Math.asin(2 * random.nextDouble() - 1));
    return new double[] {360 * random.nextDouble() - 180, latitude};
  }

  private double[] place(Random random) {
    if (random.nextBoolean()) {
      return anywhere(random);
    }
    double[] town = towns[random.nextInt(TOWNS)];
    return new double[] {
      clamp(town[0] + TOWN_DEGREES * random.nextGaussian(), 180),
      clamp(town[1] + TOWN_DEGREES * random.nextGaussian(), 90)
    };
  }

  private static double clamp(double degrees, double most) {
    return Math.max(-most, Math.min(most, degrees));
  }

  private static BsonDocument point(double[] place) {
    var pair = List.of(new BsonDouble(place[0]), new BsonDouble(place[1]));
    return new BsonDocument("type", new BsonString("Point"))
        .append("coordinates", new BsonArray(pair));
  }

  void run(int searches, int rounds) throws IOException {
    load();
    System.out.printf(Locale.ROOT, "%n%,d points%n%n%s%n", count, Explained.HEAD);
    near(searches, false); // for the compiler
    System.out.println(near(searches, false).row("$near, limit 10, from anywhere"));
    System.out.println(near(searches, true).row("$near, limit 10, from where points are"));
    System.out.println(within(searches).row("$geoWithin a circle of 20 km, from where points are"));
    System.out.println(
        "\n| of all points | found | keys examined | CPU by index, ms | by scan, ms | scan over"
            + " index |");
    System.out.println("|---|---|---|---|---|---|");
    circle(rounds);
    compare("polygon of 24 corners, the same", polygon(), rounds);
  }

  void load() throws IOException {
    var random = new Random(4);
    Loading.insert(
        target,
        COLLECTION,
        count,
        id -> new BsonDocument("_id", new BsonInt64(id)).append("loc", point(place(random))));
    Loading.index(target, COLLECTION, "loc", new BsonString("2dsphere"));
  }

  /** Searches of the nearest points. */
  Explained near(int searches, boolean isInTown) throws IOException {
    var random = new Random(5);
    var finds = new ArrayList<BsonDocument>();
    for (int i = 0; i < searches; i++) {
      String point = point(isInTown ? place(random) : anywhere(random)).toJson();
      finds.add(Explained.find(COLLECTION, "{loc: {$near: {$geometry: " + point + "}}}", NEAREST));
    }
    return Explained.of(target, finds);
  }

  /** Searches of small circles, of which some are empty. */
  private Explained within(int searches) throws IOException {
    var random = new Random(7);
    var finds = new ArrayList<BsonDocument>();
    for (int i = 0; i < searches; i++) {
      double[] center = place(random);
      finds.add(
          Explained.find(
              COLLECTION,
              "{loc: {$geoWithin: {$centerSphere: [[%s, %s], %s]}}}"
                  .formatted(center[0], center[1], TOWN_RADIUS),
              count));
    }
    return Explained.of(target, finds);
  }

  /** A circle on a hundredth of the sphere; how many points it holds. */
  long circle(int rounds) throws IOException {
    String filter = "{loc: {$geoWithin: {$centerSphere: [[10, 50], " + HUNDREDTH + "]}}}";
    return compare("$centerSphere of 1 % of the sphere", filter, rounds);
  }

  /** The corners of a ring around the same center, about as large as the circle. */
  private static String polygon() {
    var corners = new ArrayList<String>();
    double latitude = Math.toRadians(50);
    for (int i = 0; i <= CORNERS; i++) {
      double bearing = 2 * Math.PI * (i % CORNERS) / CORNERS;
      double top =
          Math.asin(
              Math.sin(latitude) * Math.cos(HUNDREDTH)
                  + Math.cos(latitude) * Math.sin(HUNDREDTH) * Math.cos(bearing));
      double east =
          Math.atan2(
              Math.sin(bearing) * Math.sin(HUNDREDTH) * Math.cos(latitude),
              Math.cos(HUNDREDTH) - Math.sin(latitude) * Math.sin(top));
      corners.add("[%s, %s]".formatted(10 + Math.toDegrees(east), Math.toDegrees(top)));
    }
    return "{loc: {$geoWithin: {$geometry: {type: 'Polygon', coordinates: [" + corners + "]}}}}";
  }

  /** By index and by scan in turn, so that what else the machine does hits both alike. */
  private long compare(String title, String filter, int rounds) throws IOException {
    double[] indexed = new double[rounds];
    double[] scanned = new double[rounds];
    double[] ratios = new double[rounds];
    long found = 0;
    for (int round = -WARMUPS; round < rounds; round++) {
      long start = cpuNanos();
      for (int i = 0; i < REPETITIONS; i++) {
        found = matches(filter, INDEX);
      }
      long middle = cpuNanos();
      if (matches(filter, "{$natural: 1}") != found) {
        throw new IOException("the index does not find what a scan finds: " + filter);
      }
      if (round >= 0) {
        indexed[round] = (middle - start) / NANOS_PER_MILLI / REPETITIONS;
        scanned[round] = (cpuNanos() - middle) / NANOS_PER_MILLI;
        ratios[round] = scanned[round] / indexed[round];
      }
    }
    System.out.printf(
        Locale.ROOT,
        "| %s | %,d | %,d | %,.1f | %,.0f | %.1f (%.1f to %.1f) |%n",
        title,
        found,
        Explained.of(target, List.of(Explained.find(COLLECTION, filter, count))).mostKeys(),
        median(indexed),
        median(scanned),
        median(ratios),
        Arrays.stream(ratios).min().orElseThrow(),
        Arrays.stream(ratios).max().orElseThrow());
    return found;
  }

  private long cpuNanos() throws IOException {
    return ProcessUsage.cpuNanos(target.process().pid());
  }

  /** How many points match; an index is named, what is no index is a document. */
  private long matches(String filter, String hint) throws IOException {
    BsonDocument count =
        new BsonDocument("count", new BsonString(COLLECTION))
            .append("query", BsonDocument.parse(filter))
            .append("hint", hint.startsWith("{") ? BsonDocument.parse(hint) : new BsonString(hint));
    return target.run(Loading.DATABASE, count).getNumber("n").longValue();
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
