package dev.orrery.server.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.geo.Near;
import dev.orrery.language.query.Filter;
import dev.orrery.language.query.GeoFilters;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawDocument;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Geo indexes find what a scan finds, and the nearest come in the order of their distances. */
class GeoPlanPropertyTest {
  private static final int DOCUMENTS = 300;
  private static final int QUERIES = 150;

  @TempDir Path directory;
  private PlanFixture fixture;
  private Random random;
  private int indexed;

  @Test
  void oneGeoIndexFindsWhatAScanFinds() {
    for (int seed = 1; seed <= 3; seed++) {
      random = new Random(seed);
      try (var opened = new PlanFixture(directory.resolve("plain" + seed), null, 1)) {
        fixture = opened;
        fill(seed == 1 ? "{g: '2dsphere'}" : "{a: 1, g: '2dsphere', b: 1}");
        checkRegions(seed == 1 ? "" : "a: 1, ");
        checkNear(seed == 1 ? "" : "a: 1, ");
      }
    }
  }

  @Test
  void partitionsFindTheSameTogether() {
    random = new Random(99);
    try (var opened = new PlanFixture(directory.resolve("parts"), "k", 3)) {
      fixture = opened;
      fill("{g: '2dsphere'}");
      checkRegions("");
      checkNear("");
    }
  }

  private void fill(String sphere) {
    for (int i = 0; i < DOCUMENTS; i++) {
      String geometry = random.nextInt(12) == 0 ? "" : ", g: " + geometry();
      String place = random.nextInt(12) == 0 ? "" : ", p: " + places();
      fixture.insert(
          "{_id: %d, k: %d, a: %d%s%s}".formatted(i, i, random.nextInt(3), geometry, place));
    }
    fixture.index("sphere", sphere, "{'2dsphereIndexVersion': 3}");
    fixture.index("flat", "{p: '2d'}", random.nextBoolean() ? "{}" : "{bits: 9}");
  }

  private void checkRegions(String before) {
    indexed = 0;
    for (int i = 0; i < QUERIES; i++) {
      String filter =
          switch (random.nextInt(3)) {
            case 0 -> "{p: {$geoWithin: %s}}".formatted(flatShape());
            case 1 -> "{%sg: {$geoWithin: %s}}".formatted(before, sphereShape());
            default -> "{%sg: {$geoIntersects: %s}}".formatted(before, touchable());
          };
      Query query = fixture.query(filter);
      List<Integer> expected = ids(fixture.run(query.with(PlanFixture.natural())));
      assertThat(ids(fixture.run(query))).as(filter).isEqualTo(expected);
      indexed += PlanFixture.stages(plan(query)).contains("IXSCAN") ? 1 : 0;
    }
    assertThat(indexed).isGreaterThan(QUERIES * 9 / 10);
  }

  private void checkNear(String before) {
    for (int i = 0; i < QUERIES; i++) {
      checkNear(before, near(before), "GEO_NEAR_2DSPHERE");
      checkNear("", flatNear(), "GEO_NEAR_2D");
    }
  }

  private void checkNear(String before, String filter, String stage) {
    Query query = fixture.query(filter);
    Filter.Field condition = GeoFilters.findNear(query.criteria().filter());
    Near near = ((GeoFilters.ByDistance) condition.predicate()).near();
    int limit = random.nextInt(4) == 0 ? 0 : 1 + random.nextInt(20);
    List<Double> expected = new ArrayList<>();
    for (RawDocument one : fixture.run(fixture.query(before.isEmpty() ? "{}" : "{a: 1}"))) {
      Near.Found found = near.nearest(one, condition.path());
      double distance = found == null ? Double.NaN : found.distance() * near.unit();
      boolean isHere = distance >= near.min() && distance <= near.max();
      if (isHere && (!stage.equals("GEO_NEAR_2D") || isReached(near, one, distance))) {
        expected.add(distance);
      }
    }
    expected.sort(null);
    List<Double> found =
        fixture.run(query.with(new Query.Window(0, limit))).stream()
            .map(one -> near.nearest(one, condition.path()).distance() * near.unit())
            .toList();
    assertThat(found)
        .as(filter)
        .isEqualTo(limit == 0 ? expected : expected.subList(0, Math.min(limit, expected.size())));
    assertThat(PlanFixture.stages(plan(query))).contains(stage);
  }

  /** An index of the plane does not look over the 180th meridian, nor over a pole. */
  private static boolean isReached(Near near, RawDocument document, double distance) {
    return !near.isOnSphere() || near.isReachedOnPlane(document, FieldPath.parse("p"), distance);
  }

  private BsonDocument plan(Query query) {
    var plan = fixture.plan(query);
    return plan.containsKey("shards")
        ? plan.getArray("shards").get(0).asDocument().getDocument("winningPlan")
        : plan;
  }

  private String near(String before) {
    double unit = random.nextInt(3) == 0 ? 6_378_100 : 0;
    String center = unit > 0 ? "{type: 'Point', coordinates: " + pair() + "}" : pair();
    double scale = unit > 0 ? unit : 1;
    String limits =
        switch (random.nextInt(4)) {
          case 0 -> ", $maxDistance: " + number(scale * random.nextDouble());
          case 1 -> ", $minDistance: " + number(scale * random.nextDouble() / 2);
          case 2 -> ", $minDistance: 0, $maxDistance: " + number(scale * 3.2);
          default -> "";
        };
    return unit > 0
        ? "{%sg: {$near: {$geometry: %s%s}}}".formatted(before, center, limits)
        : "{%sg: {$nearSphere: %s%s}}".formatted(before, center, limits);
  }

  /** On the plane, or on the sphere by an index of the plane. */
  private String flatNear() {
    boolean isOnSphere = random.nextBoolean();
    double scale = isOnSphere ? 1 : 100;
    String limits =
        switch (random.nextInt(3)) {
          case 0 -> ", $maxDistance: " + number(scale * random.nextDouble());
          case 1 -> ", $minDistance: " + number(scale * random.nextDouble() / 2);
          default -> "";
        };
    return "{p: {%s: %s%s}}".formatted(isOnSphere ? "$nearSphere" : "$near", pair(), limits);
  }

  /** What something can touch, which may have no area. */
  private String touchable() {
    return random.nextBoolean() ? sphereShape() : "{$geometry: " + shape() + "}";
  }

  private String sphereShape() {
    return switch (random.nextInt(7)) {
      case 2 -> "{$geometry: {type: 'Polygon', coordinates: [%s]}}".formatted(ringWithHole());
      case 3 -> "{$geometry: {type: 'Polygon', coordinates: [%s]}}".formatted(polarRing());
      case 0 -> "{$centerSphere: [%s, %s]}".formatted(pair(), number(size() / 50));
      case 1 ->
          "{$geometry: {type: 'Polygon', coordinates: [%s], crs: {type: 'name', properties: {name:"
                  .formatted(ring(60 + size()))
              + " 'urn:x-mongodb:crs:strictwinding:EPSG:4326'}}}}";
      default -> "{$geometry: {type: 'Polygon', coordinates: [%s]}}".formatted(ring(size()));
    };
  }

  private String flatShape() {
    return switch (random.nextInt(4)) {
      case 0 -> "{$box: [%s, %s]}".formatted(pair(), pair());
      case 1 -> "{$center: [%s, %s]}".formatted(pair(), number(size()));
      case 2 -> "{$centerSphere: [%s, %s]}".formatted(pair(), number(size() / 50));
      default -> "{$polygon: [%s, %s, %s, %s]}".formatted(pair(), pair(), pair(), pair());
    };
  }

  private String geometry() {
    return switch (random.nextInt(8)) {
      case 0 -> pair();
      case 1, 2 -> shape();
      case 3 -> "{type: 'GeometryCollection', geometries: [%s, %s]}".formatted(shape(), shape());
      default -> "{type: 'Point', coordinates: %s}".formatted(pair());
    };
  }

  /** GeoJSON of one of the kinds that are more than a point. */
  private String shape() {
    return switch (random.nextInt(7)) {
      case 0 -> "{type: 'LineString', coordinates: [%s]}".formatted(line());
      case 1 -> "{type: 'MultiPoint', coordinates: [%s, %s]}".formatted(pair(), pair());
      case 2 -> "{type: 'MultiLineString', coordinates: [[%s], [%s]]}".formatted(line(), line());
      case 3 -> "{type: 'Polygon', coordinates: [%s]}".formatted(polarRing());
      case 4 -> "{type: 'Polygon', coordinates: [%s]}".formatted(ringWithHole());
      case 5 ->
          "{type: 'MultiPolygon', coordinates: [[%s], [%s]]}".formatted(ring(size()), polarRing());
      default -> "{type: 'Polygon', coordinates: [%s]}".formatted(ring(size()));
    };
  }

  /** A ring around one of the poles. */
  private String polarRing() {
    double latitude = (random.nextBoolean() ? 1 : -1) * (89.9 - size());
    var points = new ArrayList<String>();
    int corners = 3 + random.nextInt(6);
    for (int i = 0; i <= corners; i++) {
      points.add(pair(360.0 * (i % corners) / corners - 180, latitude));
    }
    return "[" + String.join(", ", points) + "]";
  }

  private String ringWithHole() {
    double x = longitude();
    double y = random.nextDouble() * 100 - 50;
    double size = size();
    return square(x, y, size) + ", " + square(x + size / 4, y + size / 4, size / 4);
  }

  private static String square(double x, double y, double size) {
    String corner = pair(x, y);
    return "[%s, %s, %s, %s, %s]"
        .formatted(corner, pair(x + size, y), pair(x + size, y + size), pair(x, y + size), corner);
  }

  /** A place, or several. */
  private String places() {
    return random.nextInt(5) == 0 ? "[%s, %s]".formatted(pair(), pair()) : pair();
  }

  private String line() {
    double x = longitude();
    double y = latitude();
    double length = size();
    var points = new ArrayList<String>();
    for (int i = 0; i < 3; i++) {
      points.add(pair(x, y));
      x += length * random.nextDouble();
      y += length * (random.nextDouble() - 0.5) + 1e-4;
    }
    return String.join(", ", points);
  }

  /** A ring around a place, against the clock or, sometimes, with it. */
  private String ring(double radius) {
    double x = longitude();
    double y = Math.max(-89, Math.min(89, latitude()));
    int corners = 3 + random.nextInt(5);
    double height = Math.min(radius, 89.5 - Math.abs(y));
    boolean isTurned = random.nextInt(3) == 0;
    var points = new ArrayList<String>();
    for (int i = 0; i <= corners; i++) {
      double angle = 2 * Math.PI * (i % corners) / corners * (isTurned ? -1 : 1);
      points.add(pair(x + height * Math.cos(angle), y + height * Math.sin(angle)));
    }
    return "[" + String.join(", ", points) + "]";
  }

  /** From tiny to huge, in degrees. */
  private double size() {
    return Math.pow(10, -5 + 6.5 * random.nextDouble());
  }

  private double longitude() {
    return switch (random.nextInt(8)) {
      case 0 -> 180;
      case 1 -> -179.99;
      case 2 -> 179.999;
      case 3 -> random.nextInt(37) * 10 - 180;
      default -> random.nextDouble() * 360 - 180;
    };
  }

  private double latitude() {
    return switch (random.nextInt(10)) {
      case 0 -> 90;
      case 1 -> -90;
      case 2 -> random.nextInt(19) * 10 - 90;
      default -> random.nextDouble() * 180 - 90;
    };
  }

  private String pair() {
    return pair(longitude(), latitude());
  }

  private static String pair(double x, double y) {
    double turned = x > 180 ? x - 360 : x < -180 ? x + 360 : x;
    return "[%s, %s]".formatted(number(turned), number(Math.max(-90, Math.min(90, y))));
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.9f", value);
  }

  private static List<Integer> ids(List<RawDocument> documents) {
    return documents.stream().map(one -> one.field("_id").asInt32()).sorted().toList();
  }
}
