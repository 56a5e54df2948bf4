package dev.orrery.server.command.schema;

import static dev.orrery.language.error.ErrorCode.CANNOT_CREATE_INDEX;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonType;
import org.bson.BsonValue;

/** Which key patterns an index may have, and MongoDB's words for the others. */
public final class IndexKeyPattern {
  static final String WILDCARD = "wildcard";
  private static final String EVERYTHING = "$**";
  private static final int BYTES_MAX = 2048;
  private static final int FIELDS_MAX = 32;

  /** Of the collections below time series, which hold buckets of measurements. */
  static final String BUCKETS = "2dsphere_bucket";

  private static final Set<String> KINDS =
      Set.of("2d", "2dsphere", BUCKETS, "columnstore", "hashed", "text", WILDCARD);
  private static final Set<String> LACKING = Set.of(BUCKETS, "columnstore");
  private static final Set<String> REFERENCE_PARTS = Set.of("$ref", "$id", "$db");

  private IndexKeyPattern() {}

  /** The special kind of the index: {@code hashed}, {@code wildcard} ...; empty for an ordered. */
  static String kind(BsonDocument key) {
    String kind = "";
    for (var field : key.entrySet()) {
      if (field.getValue().isString()) {
        kind = kind.isEmpty() ? field.getValue().asString().getValue() : kind;
      } else if (isWildcard(field.getKey())) {
        return WILDCARD;
      }
    }
    return kind;
  }

  static boolean isWildcard(String path) {
    return path.equals(EVERYTHING) || path.endsWith("." + EVERYTHING);
  }

  /** Whether this is the key of the index that every collection has, in either direction. */
  static boolean isId(BsonDocument key) {
    BsonValue value = key.size() == 1 ? key.get("_id") : null;
    return value != null && value.isNumber() && Math.abs(value.asNumber().intValue()) == 1;
  }

  /** Refuses what no index of version 2 may have. */
  static void require(BsonDocument key) {
    if (RawDocument.of(key).length() > BYTES_MAX) {
      throw refused("Index key pattern too large.");
    }
    if (key.isEmpty()) {
      throw refused("Index keys cannot be empty.");
    }
    String kind = kind(key);
    if (kind.equals("geoHaystack")) {
      throw refused("GeoHaystack indexes cannot be created in version 5.0 and above");
    }
    if (!kind.isEmpty() && !KINDS.contains(kind)) {
      throw refused("Unknown index plugin '" + kind + "'");
    }
    if (kind.equals(WILDCARD)) {
      requireWildcard(key);
    }
    key.forEach((path, value) -> requireField(path, value, kind));
    if (key.values().stream().anyMatch(IndexKeyPattern::isEmptyText)) {
      throw refused("Values in the index key pattern cannot be empty strings");
    }
  }

  private static boolean isEmptyText(BsonValue value) {
    return value.isString() && value.asString().getValue().isEmpty();
  }

  private static void requireField(String path, BsonValue value, String kind) {
    requireValue(value);
    if (value.isString()) {
      String text = value.asString().getValue();
      if (!text.equals(kind)) {
        throw refused("Can't use more than one index plugin for a single index.");
      }
      if (text.equals(WILDCARD)) {
        throw refused(
            "The key pattern value for an 'wildcard' index must be a non-zero number, not a"
                + " string.");
      }
    }
    if (path.isEmpty()) {
      throw refused("Index keys cannot be an empty field.");
    }
    boolean isEverything = path.equals(EVERYTHING) && (isNumber(value) || kind.equals("text"));
    if (!isEverything) {
      requirePath(path, value, kind);
    }
  }

  private static void requireValue(BsonValue value) {
    if (isNumber(value)) {
      double number =
          value.isDecimal128()
              ? value.asDecimal128().getValue().doubleValue()
              : value.asNumber().doubleValue();
      if (Double.isNaN(number)) {
        throw refused("Values in the index key pattern cannot be NaN.");
      }
      if (number == 0) {
        throw refused("Values in the index key pattern cannot be 0.");
      }
    } else if (!value.isString()) {
      throw refused(
          "Values in v:2 index key pattern cannot be of type %s. Only numbers > 0, numbers < 0, and strings are allowed."
              .formatted(BsonText.typeName(value)));
    }
  }

  private static boolean isNumber(BsonValue value) {
    return value.isNumber() || value.getBsonType() == BsonType.DECIMAL128;
  }

  private static void requirePath(String path, BsonValue value, String kind) {
    if (path.equals("_fts") && !kind.equals("text")) {
      throw refused("Index key contains an illegal field name: '_fts'");
    }
    String[] parts = path.split("\\.", -1);
    for (int i = 0; i < parts.length; i++) {
      if (parts[i].isEmpty()) {
        throw refused("Index keys cannot contain an empty field.");
      }
      boolean isReference = i != 0 && REFERENCE_PARTS.contains(parts[i]);
      boolean isWildcard =
          i == parts.length - 1 && parts[i].equals(EVERYTHING) && kind.equals(WILDCARD);
      if (parts[i].startsWith("$") && !isReference && !isWildcard) {
        throw refused("Index key contains an illegal field name: field name starts with '$'.");
      }
    }
  }

  private static void requireWildcard(BsonDocument key) {
    var wildcards = new ArrayList<String>();
    var others = new ArrayList<String>();
    key.keySet().forEach(path -> (isWildcard(path) ? wildcards : others).add(path));
    if (wildcards.size() > 1) {
      throw new CommandException(
          ErrorCode.LOCATION_7246201, "Index Key can contain only one wildcard index field");
    }
    if (wildcards.isEmpty() || wildcards.get(0).equals(EVERYTHING)) {
      return;
    }
    String path = wildcards.get(0);
    String root = path.substring(0, path.length() - EVERYTHING.length() - 1);
    for (String other : others) {
      if (covers(root, other)) {
        throw new CommandException(
            ErrorCode.LOCATION_7246204,
            "A wildcard index field should not overlap with and index key fields if wildcard projection is empty, however '%s' is overlapping with the wildcard index field."
                .formatted(other));
      }
    }
  }

  /** Whether the path is the root or lies below it. */
  static boolean covers(String root, String path) {
    return path.equals(root) || path.startsWith(root + ".");
  }

  /** Refuses what is fine for MongoDB, but too much for an index or lacking here. */
  public static void requireSupported(BsonDocument key) {
    if (key.size() > FIELDS_MAX) {
      throw new CommandException(ErrorCode.LOCATION_13103, "too many compound keys");
    }
    String kind = kind(key);
    if (LACKING.contains(kind)) {
      throw new CommandException(
          ErrorCode.NOT_IMPLEMENTED, "indexes of kind '" + kind + "' are not implemented yet");
    }
  }

  /** Refuses keys that an index of hashes cannot have. */
  static void requireHashable(BsonDocument key, boolean isUnique) {
    List<BsonValue> hashed =
        key.values().stream().filter(new BsonString("hashed")::equals).toList();
    if (hashed.size() > 1) {
      throw new CommandException(
          ErrorCode.LOCATION_31303,
          "A maximum of one index field is allowed to be hashed but found %d for 'key' %s"
              .formatted(hashed.size(), BsonText.document(key)));
    }
    if (!hashed.isEmpty() && isUnique) {
      throw new CommandException(
          ErrorCode.LOCATION_16764,
          "Currently hashed indexes cannot guarantee uniqueness. Use a regular index.");
    }
  }

  private static CommandException refused(String message) {
    return new CommandException(CANNOT_CREATE_INDEX, message);
  }
}
