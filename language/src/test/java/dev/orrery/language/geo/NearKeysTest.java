package dev.orrery.language.geo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.orrery.value.FieldPath;
import dev.orrery.value.RawDocument;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;

/** Distances are those of a formula for them, and circles have the keys of all that is in them. */
class NearKeysTest {
  private static final FieldPath PATH = FieldPath.parse("p");
  private static final SphereKeys SPHERE = new SphereKeys(3, 0, 23);
  private static final FlatKeys FLAT = new FlatKeys(26, -180, 180);

  private final Random random = new Random(7);

  private double longitude() {
    return random.nextInt(5) == 0 ? 180 - random.nextInt(2) * 360 : random.nextDouble() * 360 - 180;
  }

  private double latitude() {
    return random.nextInt(5) == 0 ? 90 - random.nextInt(2) * 180 : random.nextDouble() * 180 - 90;
  }

  private static RawDocument document(double x, double y) {
    String json = String.format(Locale.ROOT, "{p: [%.12f, %.12f]}", x, y);
    return RawDocument.of(BsonDocument.parse(json));
  }

  private static double haversine(double x1, double y1, double x2, double y2) {
    double height = Math.sin(Math.toRadians(y2 - y1) / 2);
    double width = Math.sin(Math.toRadians(x2 - x1) / 2);
    double square =
        height * height
            + Math.cos(Math.toRadians(y1)) * Math.cos(Math.toRadians(y2)) * width * width;
    return 2 * Math.asin(Math.min(1, Math.sqrt(square)));
  }

  @Test
  void distancesOnTheSphereAreThoseOfTheFormula() {
    for (int i = 0; i < 1_000; i++) {
      double x = longitude();
      double y = latitude();
      var center = new FlatPoint(longitude(), latitude());
      var near = new Near(center, false, true, 0, Double.MAX_VALUE);
      assertThat(near.nearest(document(x, y), PATH).distance())
          .isCloseTo(haversine(center.x(), center.y(), x, y), within(1e-7));
    }
  }

  @Test
  void circlesHaveTheKeysOfAllThatIsInThem() {
    for (int i = 0; i < 2_000; i++) {
      double x = longitude();
      double y = latitude();
      var center = new FlatPoint(longitude(), latitude());
      for (boolean isOnSphere : List.of(true, false)) {
        var near = new Near(center, false, isOnSphere, 0, Double.MAX_VALUE);
        double distance = near.nearest(document(x, y), PATH).distance();
        long flat = number(FLAT.of(document(x, y), PATH).iterator().next());
        assertThat(holds(NearKeys.onPlane(near, FLAT).within(distance).points(), flat)).isTrue();
        if (isOnSphere) {
          NearKeys keys = NearKeys.onSphere(near);
          long key = number(SPHERE.of(document(x, y), PATH).iterator().next());
          assertThat(holds(keys.within(distance).points(), key)).isTrue();
          assertThat(holds(keys.nearerThan(distance), key)).isFalse();
        }
      }
    }
  }

  private static long number(BsonValue key) {
    return key.asInt64().getValue();
  }

  private static boolean holds(List<CellRange> ranges, long key) {
    return ranges.stream().anyMatch(range -> range.low() <= key && key <= range.high());
  }

  @Test
  void rangesWithoutOthersAreWhatIsLeft() {
    var all = List.of(new CellRange(0, 10), new CellRange(20, 30));
    assertThat(CellRange.minus(all, List.of(new CellRange(5, 25), new CellRange(28, 40))))
        .containsExactly(new CellRange(0, 4), new CellRange(26, 27));
    assertThat(CellRange.minus(all, all)).isEmpty();
    assertThat(CellRange.union(all, List.of(new CellRange(11, 19))))
        .containsExactly(new CellRange(0, 30));
  }
}
