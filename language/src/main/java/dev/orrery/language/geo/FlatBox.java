package dev.orrery.language.geo;

/** A rectangle of the plane, with its borders. */
public record FlatBox(double left, double bottom, double right, double top) {
  static FlatBox of(FlatPoint one, FlatPoint other) {
    return new FlatBox(
        Math.min(one.x(), other.x()),
        Math.min(one.y(), other.y()),
        Math.max(one.x(), other.x()),
        Math.max(one.y(), other.y()));
  }

  static FlatBox around(FlatPoint center, double halfWidth, double halfHeight) {
    return new FlatBox(
        center.x() - halfWidth,
        center.y() - halfHeight,
        center.x() + halfWidth,
        center.y() + halfHeight);
  }

  boolean contains(FlatPoint point) {
    return point.x() >= left && point.x() <= right && point.y() >= bottom && point.y() <= top;
  }
}
