package dev.orrery.language.query;

import static dev.orrery.language.query.FilterParser.badValue;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.FieldNames;
import dev.orrery.value.BsonOrder;
import dev.orrery.value.FieldPath;
import dev.orrery.value.KeyEncoder;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import org.bson.BsonDouble;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * An order of documents by several fields, as {@code sort} and {@code $sort} write it. An array
 * sorts by its least element in an ascending part, by its greatest in a descending one; a missing
 * field sorts as null.
 */
public final class SortPattern {
  private static final int PARTS_MAX = 32;

  /** One key of the pattern: a path, or a piece of metadata if the path is null. */
  public record Part(@Nullable FieldPath path, @Nullable String metadata, boolean isDescending) {}

  private final List<Part> parts;
  private final List<FieldPath> paths;
  private final BsonOrder order;

  private SortPattern(List<Part> parts, BsonOrder order) {
    this.parts = List.copyOf(parts);
    this.paths =
        parts.stream()
            .map(Part::path)
            .filter(path -> path != null)
            .collect(Collectors.toUnmodifiableList());
    this.order = order;
  }

  /** Reads the pattern of a find's sort; {@code {$natural: 1}} is left to the caller. */
  public static SortPattern parse(RawDocument pattern, BsonOrder order) {
    return parse(pattern, order, Set.of());
  }

  /**
   * The same.
   *
   * @param metadata what the query has of it beside what all have
   */
  public static SortPattern parse(RawDocument pattern, BsonOrder order, Set<String> metadata) {
    var parts = new ArrayList<Part>();
    var elements = pattern.elements();
    while (elements.next()) {
      parts.add(parsePart(elements.name(), elements.value(), metadata));
    }
    if (parts.size() > PARTS_MAX) {
      throw new CommandException(ErrorCode.LOCATION_13103, "too many compound keys");
    }
    return new SortPattern(parts, order);
  }

  /** Whether a find's sort asks for the natural order, which must then be all it asks for. */
  public static boolean isNatural(RawDocument pattern) {
    var natural = pattern.field("$natural");
    if (natural == null) {
      return false;
    }
    var direction = natural.isNumber() ? IntegerArgument.truncatedLong(natural) : null;
    boolean isAlone = pattern.toBsonDocument().size() == 1;
    if (!isAlone || direction == null || Math.abs(direction) != 1) {
      throw badValue("$natural sort cannot be set to a value other than -1 or 1.");
    }
    return true;
  }

  private static Part parsePart(String name, RawValue value, Set<String> metadata) {
    if (value.isDocument()) {
      return parseMetadata(value.asDocument(), metadata);
    }
    if (!value.isNumber()) {
      throw new CommandException(
          ErrorCode.LOCATION_15974,
          "Illegal key in $sort specification: " + BsonText.element(name, value.toBsonValue()));
    }
    var direction = IntegerArgument.truncatedLong(value);
    if (direction == null || Math.abs(direction) != 1) {
      throw new CommandException(
          ErrorCode.LOCATION_15975,
          "$sort key ordering must be 1 (for ascending) or -1 (for descending)");
    }
    FieldNames.split(name); // only to refuse what is no path
    return new Part(FieldPath.parse(name), null, direction < 0);
  }

  private static Part parseMetadata(RawDocument document, Set<String> metadata) {
    var fields = document.elements();
    if (!fields.next() || !fields.name().equals("$meta")) {
      throw new CommandException(
          ErrorCode.LOCATION_17312, "$meta is the only expression supported by $sort right now");
    }
    var name = fields.value();
    if (fields.next()) {
      throw new CommandException(
          ErrorCode.FAILED_TO_PARSE, "Cannot have additional keys in a $meta sort specification");
    }
    boolean isThere = name.type() == RawTypes.STRING && metadata.contains(name.asString());
    return new Part(null, isThere ? name.asString() : metadataName(name), true);
  }

  private static String metadataName(RawValue name) {
    return switch (name.type() == RawTypes.STRING ? name.asString() : "") {
      case "randVal" -> "randVal";
      case "geoNearDistance" -> throw unavailable("$geoNear distance");
      case "textScore" -> throw unavailable("text score");
      case "searchHighlights" -> throw unsupported(ErrorCode.LOCATION_31219, "searchHighlights");
      case "searchScore" -> throw unsupported(ErrorCode.LOCATION_31218, "searchScore");
      default ->
          throw new CommandException(
              ErrorCode.LOCATION_31138,
              "Illegal $meta sort: " + BsonText.element("$meta", name.toBsonValue()));
    };
  }

  private static CommandException unavailable(String metadata) {
    return new CommandException(
        ErrorCode.LOCATION_40218,
        "query requires " + metadata + " metadata, but it is not available");
  }

  private static CommandException unsupported(ErrorCode code, String metadata) {
    return new CommandException(code, "$meta sort by '" + metadata + "' metadata is not supported");
  }

  public List<Part> parts() {
    return parts;
  }

  public boolean isEmpty() {
    return parts.isEmpty();
  }

  public BsonOrder order() {
    return order;
  }

  /**
   * The values that the document sorts by, one for each part. Of a document with arrays, the ones
   * that come first.
   */
  public List<RawValue> values(RawDocument document) {
    return values(document, Map.of());
  }

  /** The same of a document that metadata belong to, by name. */
  public List<RawValue> values(RawDocument document, Map<String, BsonValue> metadata) {
    var first = new First();
    SortKeys.forEach(document, paths, first::offer);
    var values = new ArrayList<RawValue>(parts.size());
    int next = 0;
    for (var part : parts) {
      values.add(
          part.path() == null ? metadataValue(part.metadata(), metadata) : first.key[next++]);
    }
    return values;
  }

  private static RawValue metadataValue(String name, Map<String, BsonValue> metadata) {
    BsonValue value =
        name.equals("randVal")
            ? new BsonDouble(ThreadLocalRandom.current().nextDouble())
            : metadata.getOrDefault(name, BsonNull.VALUE);
    return RawValue.of(value);
  }

  /** Bytes that order, compared unsigned, as the documents do; for sorting and merging. */
  public byte[] key(RawDocument document) {
    return key(document, Map.of());
  }

  /** The same of a document that metadata belong to, by name. */
  public byte[] key(RawDocument document, Map<String, BsonValue> metadata) {
    var encoder = new KeyEncoder(order.strings());
    var values = values(document, metadata);
    for (int i = 0; i < parts.size(); i++) {
      encoder.append(values.get(i), parts.get(i).isDescending());
    }
    return encoder.toByteArray();
  }

  /** Compares documents; for many of them, {@link #key} once for each is faster. */
  public Comparator<RawDocument> comparator() {
    return (left, right) -> Arrays.compareUnsigned(key(left), key(right));
  }

  /** The key that sorts first among those of one document. */
  private final class First {
    private RawValue[] key;

    void offer(RawValue[] candidate) {
      if (key == null || compare(candidate, key) < 0) {
        key = candidate.clone();
      }
    }

    private int compare(RawValue[] left, RawValue[] right) {
      int next = 0;
      for (var part : parts) {
        if (part.path() != null) {
          int difference =
              part.isDescending()
                  ? order.compare(right[next], left[next])
                  : order.compare(left[next], right[next]);
          if (difference != 0) {
            return difference;
          }
          next++;
        }
      }
      return 0;
    }
  }
}
