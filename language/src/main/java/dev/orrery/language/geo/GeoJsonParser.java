package dev.orrery.language.geo;

import com.google.common.geometry.S2Point;
import com.google.common.geometry.S2Polygon;
import com.google.common.geometry.S2Polyline;
import dev.orrery.lane.Lane;
import dev.orrery.language.limit.Allowance;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads GeoJSON; what is wrong with it is said in MongoDB's words. */
final class GeoJsonParser {
  private static final Set<String> CRS = Set.of("urn:ogc:def:crs:OGC:1.3:CRS84", "EPSG:4326");
  private static final String CRS_STRICT = "urn:x-mongodb:crs:strictwinding:EPSG:4326";

  /** From so many points on what is made of them takes too long for an event loop. */
  private static final int POINTS_MANY = 1_000;

  private GeoJsonParser() {}

  static Geometry parse(RawDocument document) {
    String type = type(document);
    Geometry geometry = type == null ? null : parse(type, document);
    if (geometry == null) {
      throw new InvalidGeometryException("unknown GeoJSON type: " + GeoText.document(document));
    }
    return geometry;
  }

  private static @Nullable String type(RawDocument document) {
    RawValue type = document.field("type");
    return type != null && type.type() == RawTypes.STRING ? type.asString() : null;
  }

  private static @Nullable Geometry parse(String type, RawDocument document) {
    return switch (type) {
      case "Point" -> point(document);
      case "LineString" -> {
        requireCrs(document, false);
        yield Geometry.lines(List.of(line(coordinates(document))));
      }
      case "Polygon" -> polygon(document);
      case "MultiPoint" -> multiPoint(document);
      case "MultiLineString" -> multiLine(document);
      case "MultiPolygon" -> multiPolygon(document);
      case "GeometryCollection" -> collection(document);
      default -> null;
    };
  }

  /** A point, of which the type is not looked at: near queries take any document for one. */
  static Geometry point(RawDocument document) {
    requireCrs(document, false);
    return Geometry.point(FlatPoint.parse(coordinates(document), true));
  }

  private static @Nullable RawValue coordinates(RawDocument document) {
    return document.field("coordinates");
  }

  /** Whether the coordinate reference system is the one with strict winding. */
  private static boolean requireCrs(RawDocument document, boolean mayBeStrict) {
    RawValue crs = document.field("crs");
    if (crs == null) {
      return false;
    }
    if (!FlatPoint.isContainer(crs)) {
      throw new InvalidGeometryException(
          "GeoJSON CRS must be an object, instead got type " + FlatPoint.typeName(crs));
    }
    if (!"name".equals(type(crs.asDocument()))) {
      throw new InvalidGeometryException("GeoJSON CRS must have field \"type\": \"name\"");
    }
    RawValue properties = crs.asDocument().field("properties");
    if (!FlatPoint.isContainer(properties)) {
      throw new InvalidGeometryException(
          "CRS must have field \"properties\" which is an object, instead got type "
              + FlatPoint.typeName(properties));
    }
    RawValue name = properties.asDocument().field("name");
    if (name == null || name.type() != RawTypes.STRING) {
      throw new InvalidGeometryException(
          "In CRS, \"properties.name\" must be a string, instead got type "
              + FlatPoint.typeName(name));
    }
    return isStrict(name.asString(), mayBeStrict);
  }

  private static boolean isStrict(String name, boolean mayBeStrict) {
    if (CRS.contains(name)) {
      return false;
    }
    if (!name.equals(CRS_STRICT)) {
      throw new InvalidGeometryException("Unknown CRS name: " + name);
    }
    if (!mayBeStrict) {
      throw new InvalidGeometryException("Strict winding order CRS is only supported by polygon");
    }
    return true;
  }

  private static Geometry polygon(RawDocument document) {
    boolean isStrict = requireCrs(document, true);
    RawValue coordinates = coordinates(document);
    return isStrict
        ? Geometry.strict(PolygonParser.strict(coordinates))
        : Geometry.polygons(List.of(PolygonParser.parse(coordinates)));
  }

  private static Geometry multiPoint(RawDocument document) {
    requireCrs(document, false);
    List<S2Point> points = pointList(coordinates(document));
    if (points.isEmpty()) {
      throw new InvalidGeometryException("MultiPoint coordinates must have at least 1 element");
    }
    return Geometry.points(points);
  }

  private static Geometry multiLine(RawDocument document) {
    requireCrs(document, false);
    var lines = new ArrayList<S2Polyline>();
    RawElements elements = requireArray("MultiLineString coordinates", coordinates(document));
    while (elements.next()) {
      lines.add(line(elements.value()));
    }
    if (lines.isEmpty()) {
      throw new InvalidGeometryException(
          "MultiLineString coordinates must have at least 1 element");
    }
    return Geometry.lines(lines);
  }

  private static Geometry multiPolygon(RawDocument document) {
    requireCrs(document, false);
    var polygons = new ArrayList<S2Polygon>();
    RawElements elements = requireArray("MultiPolygon coordinates", coordinates(document));
    while (elements.next()) {
      polygons.add(PolygonParser.parse(elements.value()));
    }
    if (polygons.isEmpty()) {
      throw new InvalidGeometryException("MultiPolygon coordinates must have at least 1 element");
    }
    return Geometry.polygons(polygons);
  }

  private static RawElements requireArray(String what, @Nullable RawValue value) {
    if (value == null || !value.isArray()) {
      throw new InvalidGeometryException(
          what + " must be an array, instead got type " + FlatPoint.typeName(value));
    }
    return value.asDocument().elements();
  }

  private static Geometry collection(RawDocument document) {
    RawElements elements =
        requireArray("GeometryCollection geometries", document.field("geometries"));
    var points = new ArrayList<S2Point>();
    var lines = new ArrayList<S2Polyline>();
    var polygons = new ArrayList<S2Polygon>();
    int index = 0;
    while (elements.next()) {
      Geometry member = member(index++, elements.value());
      if (member.isStrict()) {
        return member; // nobody indexes or matches it, whatever stands beside it
      }
      points.addAll(member.points());
      lines.addAll(member.lines());
      polygons.addAll(member.polygons());
    }
    if (index == 0) {
      throw new InvalidGeometryException(
          "GeometryCollection geometries must have at least 1 element");
    }
    return new Geometry(null, false, points, lines, polygons, null);
  }

  private static Geometry member(int index, RawValue value) {
    if (!value.isDocument()) {
      throw new InvalidGeometryException(
          "Element %d of \"geometries\" must be an object, instead got type %s: %s"
              .formatted(index, FlatPoint.typeName(value), GeoText.value(value)));
    }
    String type = type(value.asDocument());
    if ("GeometryCollection".equals(type)) {
      throw new InvalidGeometryException(
          "GeometryCollections cannot be nested: " + GeoText.value(value));
    }
    Geometry member = type == null ? null : parse(type, value.asDocument());
    if (member == null) {
      throw new InvalidGeometryException("Unknown GeoJSON type: " + GeoText.value(value));
    }
    return member;
  }

  private static S2Polyline line(@Nullable RawValue coordinates) {
    List<S2Point> points = withoutRepetitions(pointList(coordinates));
    if (points.size() < 2) {
      throw new InvalidGeometryException(
          "GeoJSON LineString must have at least 2 vertices, instead got %d vertices: %s"
              .formatted(points.size(), GeoText.value(coordinates)));
    }
    for (int i = 1; i < points.size(); i++) {
      if (points.get(i - 1).equals(points.get(i).neg())) {
        throw new InvalidGeometryException(
            "GeoJSON LineString is not valid: Vertices %d and %d are identical or antipodal %s"
                .formatted(i - 1, i, GeoText.value(coordinates)));
      }
    }
    return new S2Polyline(points);
  }

  /** The points of {@code [[100, 0], [101, 1]]}. */
  static List<S2Point> pointList(@Nullable RawValue coordinates) {
    if (coordinates == null || !coordinates.isArray()) {
      throw new InvalidGeometryException(
          "GeoJSON coordinates must be an array of coordinates, instead got type "
              + FlatPoint.typeName(coordinates));
    }
    Allowance allowance = Allowance.current();
    var points = new ArrayList<S2Point>();
    RawElements elements = coordinates.asDocument().elements();
    while (elements.next()) {
      allowance.step();
      RawValue pair = elements.value();
      if (!pair.isArray()) {
        throw new InvalidGeometryException(
            "GeoJSON coordinates must be an array, instead got type " + FlatPoint.typeName(pair));
      }
      points.add(FlatPoint.parse(pair, true).onSphere());
      if (points.size() == POINTS_MANY) {
        Lane.requireMayWait();
      }
    }
    return points;
  }

  /** The same without points that equal the one before. */
  static List<S2Point> withoutRepetitions(List<S2Point> points) {
    var distinct = new ArrayList<S2Point>(points.size());
    for (S2Point point : points) {
      if (distinct.isEmpty() || !distinct.get(distinct.size() - 1).equals(point)) {
        distinct.add(point);
      }
    }
    return distinct;
  }
}
