package dev.orrery.language.geo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.geometry.S2EdgeUtil;
import com.google.common.geometry.S2LatLng;
import com.google.common.geometry.S2Point;
import dev.orrery.language.limit.Allowance;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;

/** Shapes of very many vertices are looked at as long as somebody waits, and no longer. */
class LongShapesTest {
  private static final int MANY = 100_000;

  private static final class TimeIsUp extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /** Ends what is done at the tenth look at the clock. */
  private static Allowance brief() {
    int[] looks = new int[1];
    return Allowance.of(
        () -> {
          if (++looks[0] > 10) {
            throw new TimeIsUp();
          }
        });
  }

  private static BsonArray pair(double x, double y) {
    return new BsonArray(List.of(new BsonDouble(x), new BsonDouble(y)));
  }

  private static BsonArray line(int vertices, IntFunction<BsonArray> vertex) {
    var line = new BsonArray();
    for (int i = 0; i < vertices; i++) {
      line.add(vertex.apply(i));
    }
    return line;
  }

  private static RawDocument geometry(String type, BsonArray coordinates) {
    return RawDocument.of(
        new BsonDocument("type", new BsonString(type)).append("coordinates", coordinates));
  }

  /** Teeth of a comb: all of its edges are long and close to each other. */
  private static BsonArray comb() {
    BsonArray ring = line(MANY, i -> pair(i * 1e-4, i % 2 == 0 ? 0 : 5));
    ring.add(pair(MANY * 1e-4, -10));
    ring.add(pair(0, -10));
    ring.add(ring.get(0));
    return ring;
  }

  @Test
  void theCheckOfARingEnds() {
    RawDocument polygon = geometry("Polygon", new BsonArray(List.of(comb())));
    assertThatThrownBy(() -> brief().grant(() -> GeoJsonParser.parse(polygon)))
        .isInstanceOf(TimeIsUp.class);
  }

  /** Two lines side by side, of which no edge crosses one of the other. */
  @Test
  void theComparisonOfLinesEnds() {
    Geometry one =
        GeoJsonParser.parse(geometry("LineString", line(MANY, i -> pair(i * 1e-4, i * 1e-4))));
    Geometry other =
        GeoJsonParser.parse(geometry("LineString", line(MANY, i -> pair(i * 1e-4, i * 1e-4 + 1))));
    var region = new SphereRegion(one);
    assertThatThrownBy(() -> brief().grant(() -> region.intersects(other)))
        .isInstanceOf(TimeIsUp.class);
  }

  private static List<S2Point> points(int count, double longitude) {
    return IntStream.range(0, count)
        .mapToObj(i -> S2LatLng.fromDegrees(i * 1e-4, longitude).toPoint())
        .toList();
  }

  @Test
  void theComparisonOfManyPartsEnds() {
    Geometry points = Geometry.points(points(170, 0));
    List<S2Point> many = points(MANY, 100);
    var region = new SphereRegion(points);
    assertThatThrownBy(() -> brief().grant(() -> region.intersects(Geometry.points(many))))
        .isInstanceOf(TimeIsUp.class);
  }

  private static RawDocument triangles(int count) {
    var polygons = new BsonArray();
    for (int i = 0; i < count; i++) {
      double x = i % 300 - 150;
      double y = i / 300 * 0.5 - 60;
      BsonArray corner = pair(x, y);
      BsonArray ring =
          new BsonArray(List.of(corner, pair(x + 0.4, y), pair(x + 0.4, y + 0.3), corner));
      polygons.add(new BsonArray(List.of(ring)));
    }
    return geometry("MultiPolygon", polygons);
  }

  /** Each of few has twenty cells, which would be more together than one document may have. */
  @Test
  void veryManyPartsHaveFewerCellsEach() {
    var keys = new SphereKeys(3, 0, 23);
    var document = new BsonDocument("g", triangles(8_000).toBsonDocument());
    assertThat(keys.of(RawDocument.of(document), FieldPath.parse("g")))
        .hasSizeBetween(8_000, 50_000);
  }

  @Test
  void theCoveringOfManyPartsEnds() {
    Geometry parts = GeoJsonParser.parse(triangles(3_000));
    var region = new SphereRegion(parts);
    assertThatThrownBy(() -> brief().grant(() -> SphereCover.find(region)))
        .isInstanceOf(TimeIsUp.class);
  }

  /** Every pair of edges is tried here, which are few. */
  @Test
  void aRingIsRefusedWhenAndOnlyWhenEdgesCross() {
    var random = new Random(8);
    int crossing = 0;
    for (int round = 0; round < 2_000; round++) {
      var vertices = new ArrayList<S2Point>();
      int count = 3 + random.nextInt(6);
      double size = Math.pow(10, -4 + 6 * random.nextDouble());
      for (int i = 0; i < count; i++) {
        double latitude = size * (random.nextDouble() - 0.5);
        vertices.add(
            S2LatLng.fromDegrees(
                    Math.max(-80, Math.min(80, latitude)), 170 + size * random.nextDouble())
                .toPoint());
      }
      boolean isRefused = LoopCheck.problem(vertices) != null;
      assertThat(isRefused).as("%s", vertices).isEqualTo(crosses(vertices));
      crossing += isRefused ? 1 : 0;
    }
    assertThat(crossing).isBetween(300, 1_900);
  }

  private static boolean crosses(List<S2Point> vertices) {
    int count = vertices.size();
    for (int i = 0; i < count; i++) {
      for (int j = i + 1; j < count; j++) {
        if (S2EdgeUtil.robustCrossing(
                vertices.get(i),
                vertices.get((i + 1) % count),
                vertices.get(j),
                vertices.get((j + 1) % count))
            > 0) {
          return true;
        }
      }
    }
    return false;
  }

  @Test
  void edgesThatCrossAreNamedInLongRingsToo() {
    BsonArray ring = line(5_000, i -> pair(10 * Math.cos(i / 800.0), 10 * Math.sin(i / 800.0)));
    ring.set(4_000, pair(20, 20));
    ring.set(1_000, pair(-20, -20));
    ring.add(ring.get(0));
    var polygon = geometry("Polygon", new BsonArray(List.of(ring)));
    RawValue coordinates = polygon.field("coordinates");
    assertThatThrownBy(() -> PolygonParser.parse(coordinates))
        .isInstanceOf(InvalidGeometryException.class)
        .hasMessageMatching("(?s)Loop is not valid: .* Edges \\d+ and \\d+ cross. Edge loc.*");
  }
}
