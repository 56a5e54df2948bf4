package dev.orrery.language.geo;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.DoubleText;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.BsonNumbers;
import dev.orrery.value.FieldPath;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonValue;

/*
 * The square from min to max in both directions is divided into four, each of these again, as many
 * times as the index has bits. Which quarter it is each time, first left or right, then lower or
 * upper, makes the number of the smallest square that holds a point. So every square of the
 * division is one range of numbers. They stand in the upper bits of a long, the first of which is
 * turned round, so that signed numbers have the order of the squares.
 */

/** The keys of a 2d index: numbers of squares of the plane. */
public record FlatKeys(int bits, double min, double max) {
  public static final int BITS_DEFAULT = 26;

  /** Reads the options of an index that was accepted before. */
  public static FlatKeys of(BsonDocument index) {
    BsonValue min = index.get("min");
    BsonValue max = index.get("max");
    return new FlatKeys(
        SphereKeys.number(index, "bits", BITS_DEFAULT),
        min == null ? -180 : min.asNumber().doubleValue(),
        max == null ? 180 : max.asNumber().doubleValue());
  }

  /** The keys of a document; empty when it has no point at the path. */
  public Collection<BsonValue> of(RawDocument document, FieldPath path) {
    Set<BsonValue> keys = new LinkedHashSet<>();
    path.visit(
        document,
        FieldPath.LeafArrays.KEEP,
        (value, index) -> {
          if (FlatPoint.isContainer(value) && !value.asDocument().isEmpty()) {
            add(value.asDocument(), document, keys);
          }
          return false;
        });
    return keys;
  }

  /** A pair, or an array or document of pairs. */
  private void add(RawDocument places, RawDocument document, Set<BsonValue> keys) {
    RawElements elements = places.elements();
    elements.next();
    if (elements.value().isNumber()) {
      keys.add(key(places, document));
      return;
    }
    do {
      if (!FlatPoint.isContainer(elements.value())) {
        throw new CommandException(
            ErrorCode.LOCATION_16804,
            "location object expected, location array not in correct format");
      }
      RawDocument pair = elements.value().asDocument();
      if (!pair.isEmpty()) {
        keys.add(key(pair, document));
      }
    } while (elements.next());
  }

  private BsonValue key(RawDocument pair, RawDocument document) {
    RawElements elements = pair.elements();
    RawValue x = elements.next() ? elements.value() : null;
    RawValue y = elements.next() ? elements.value() : null;
    if (y == null) {
      throw refused(ErrorCode.LOCATION_13068, "geo field only has 1 element", document);
    }
    if (!x.isNumber() || !y.isNumber()) {
      throw refused(
          ErrorCode.LOCATION_13026,
          "geo values must be 'legacy coordinate pairs' for 2d indexes",
          document);
    }
    var point = new FlatPoint(BsonNumbers.nearestDouble(x), BsonNumbers.nearestDouble(y));
    if (!new FlatBox(min, min, max, max).contains(point)) {
      throw refused(
          ErrorCode.LOCATION_13027,
          "point not in interval of [ %s, %s ]"
              .formatted(DoubleText.brief(min), DoubleText.brief(max)),
          document);
    }
    return new BsonInt64(number(scaled(point.x()), scaled(point.y())));
  }

  private static CommandException refused(ErrorCode code, String words, RawDocument document) {
    return new CommandException(
        code, words + " :: caused by :: " + BsonText.document(document.toBsonDocument()));
  }

  /** The column or row of a coordinate; those outside count as those at the border. */
  private long scaled(double coordinate) {
    long count = 1L << bits;
    long scaled = (long) Math.floor((coordinate - min) / (max - min) * count);
    return Math.max(0, Math.min(count - 1, scaled));
  }

  private long number(long column, long row) {
    return turned(interleaved(column, row) << (64 - 2 * bits));
  }

  private static long turned(long number) {
    return number ^ Long.MIN_VALUE;
  }

  private long interleaved(long column, long row) {
    long number = 0;
    for (int bit = bits - 1; bit >= 0; bit--) {
      number = number << 2 | (column >> bit & 1) << 1 | row >> bit & 1;
    }
    return number;
  }

  /** The ranges of keys of a few squares that cover rectangles, in ascending order. */
  public List<CellRange> cover(List<FlatBox> boxes) {
    var grids = new ArrayList<SquareCover.Grid>();
    for (FlatBox box : boxes) {
      if (box.left() <= max && box.right() >= min && box.bottom() <= max && box.top() >= min) {
        grids.add(
            new SquareCover.Grid(
                scaled(box.left()), scaled(box.bottom()), scaled(box.right()), scaled(box.top())));
      }
    }
    var ranges = new ArrayList<CellRange>();
    for (SquareCover.Square square : new SquareCover(grids, bits).squares()) {
      ranges.add(range(square));
    }
    return CellRange.joined(ranges, 1L << (64 - 2 * bits));
  }

  private CellRange range(SquareCover.Square square) {
    long first = interleaved(square.column(), square.row());
    long last = first + square.size() * square.size() - 1;
    int unused = 64 - 2 * bits;
    return new CellRange(turned(first << unused), turned(last << unused));
  }

  /** The keys of the square that holds a point when the whole was divided so often. */
  CellRange around(FlatPoint point, int level) {
    long size = 1L << (bits - level);
    long column = scaled(point.x()) / size * size;
    long row = scaled(point.y()) / size * size;
    return range(new SquareCover.Square(column, row, size));
  }

  /** How far the farthest place is that the index can hold. */
  double farthest(FlatPoint from) {
    double width = Math.max(Math.abs(from.x() - min), Math.abs(from.x() - max));
    double height = Math.max(Math.abs(from.y() - min), Math.abs(from.y() - max));
    return Math.hypot(width, height);
  }

  /** How far apart two points of one square can be, in one direction. */
  public double resolution() {
    return (max - min) / (1L << bits);
  }
}
