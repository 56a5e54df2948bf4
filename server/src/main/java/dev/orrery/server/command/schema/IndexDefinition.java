package dev.orrery.server.command.schema;

import static dev.orrery.language.error.ErrorCode.CANNOT_CREATE_INDEX;
import static dev.orrery.language.error.ErrorCode.TYPE_MISMATCH;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.query.Collation;
import dev.orrery.language.query.FilterContext;
import dev.orrery.language.query.FilterParser;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.value.BsonOrder;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawValue;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * The description of an index as a user gives it, checked field by field in the order in which they
 * stand, and the form in which it is kept.
 */
public final class IndexDefinition {
  public static final Set<String> FIELDS =
      Set.of(
          "2dsphereIndexVersion",
          "background",
          "bits",
          "bucketSize",
          "clustered",
          "coarsestIndexedLevel",
          "collation",
          "columnstoreCompressor",
          "columnstoreProjection",
          "default_language",
          "dropDups",
          "expireAfterSeconds",
          "finestIndexedLevel",
          "hidden",
          "key",
          "language_override",
          "max",
          "min",
          "name",
          "ns",
          "originalSpec",
          "partialFilterExpression",
          "prepareUnique",
          "sparse",
          "storageEngine",
          "textIndexVersion",
          "unique",
          "v",
          "weights",
          "wildcardProjection");
  private static final Set<String> ID_FIELDS = Set.of("collation", "key", "name", "ns", "v");
  private static final Set<String> CLUSTERED_FIELDS =
      Set.of("clustered", "collation", "key", "name", "ns", "unique", "v");
  private static final Set<String> SWITCHES =
      Set.of("background", "unique", "sparse", "dropDups", "prepareUnique", "clustered");
  private static final Set<String> TEXTS = Set.of("default_language", "language_override");
  private static final Set<String> NUMBERS =
      Set.of(
          "2dsphereIndexVersion",
          "textIndexVersion",
          "bits",
          "min",
          "max",
          "coarsestIndexedLevel",
          "finestIndexedLevel");
  private static final List<String> FIRST = List.of("v", "unique", "hidden", "prepareUnique");

  private IndexDefinition() {}

  /** One of createIndexes: checked, with its version; unknown fields go if that is asked for. */
  public static BsonDocument parse(RawDocument given, boolean dropsUnknown) {
    BsonDocument document = given.toBsonDocument();
    if (dropsUnknown) {
      document.keySet().retainAll(FIELDS);
    }
    BsonDocument checked;
    try {
      requireDistinctKeys(given);
      checked = validate(document);
    } catch (CommandException e) {
      throw inSpecification(document, e);
    }
    BsonDocument key = checked.getDocument("key");
    String name = checked.getString("name").getValue();
    if (IndexKeyPattern.isId(key)) {
      requireIdIndex(checked);
    } else if (name.equals("_id_")) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "The index name '_id_' is reserved for the _id index, which must have key pattern"
              + " {_id: 1}, found "
              + BsonText.element("key", key));
    } else if (name.equals(IndexSpec.KEY_INDEX)) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "The index name '%s' is reserved for the index on the shard key".formatted(name));
    } else if (name.equals("*")) {
      throw new CommandException(ErrorCode.BAD_VALUE, "The index name '*' is not valid.");
    }
    return checked;
  }

  static CommandException inSpecification(BsonDocument spec, CommandException cause) {
    return new CommandException(
        cause.code(),
        "Error in specification %s :: caused by :: %s"
            .formatted(BsonText.document(spec), cause.getMessage()));
  }

  /** A decoded document has each name once, so doubled ones are looked for in the bytes. */
  private static void requireDistinctKeys(RawDocument given) {
    RawValue key = given.field("key");
    if (key == null || !key.isDocument()) {
      return;
    }
    var names = new HashSet<String>();
    RawElements elements = key.asDocument().elements();
    while (elements.next()) {
      if (!names.add(elements.name())) {
        throw new CommandException(
            ErrorCode.BAD_VALUE,
            "The field '%s' appears multiple times in the index key pattern { %s }"
                .formatted(elements.name(), text(key.asDocument())));
      }
    }
  }

  /** All elements, also those whose name comes twice; some of them when there are many. */
  private static String text(RawDocument key) {
    var text = new StringBuilder();
    RawElements elements = key.elements();
    while (elements.next() && !BsonText.isFull(text)) {
      text.append(text.length() == 0 ? "" : ", ");
      text.append(BsonText.element(elements.name(), elements.value().toBsonValue()));
    }
    return BsonText.cut(text);
  }

  /** The same spec with {@code v} at its end, unless it has one. */
  static BsonDocument validate(BsonDocument spec) {
    boolean isClustered = spec.containsKey("clustered");
    for (String name : spec.keySet()) {
      if (!(isClustered ? CLUSTERED_FIELDS : FIELDS).contains(name)) {
        throw new CommandException(
            ErrorCode.INVALID_INDEX_SPECIFICATION_OPTION,
            "The field '%s' is not valid for %s index specification. Specification: %s"
                .formatted(name, isClustered ? "a clustered" : "an", BsonText.document(spec)));
      }
    }
    spec.forEach((name, value) -> requireField(spec, name, value));
    requireTogether(spec);
    var checked = new BsonDocument();
    checked.putAll(spec);
    checked.remove("ns");
    checked.putIfAbsent("v", new BsonInt32(2));
    return checked;
  }

  private static void requireField(BsonDocument spec, String name, BsonValue value) {
    switch (name) {
      case "key" -> requireKey(spec, value);
      case "name" -> requireType(name, value, BsonType.STRING, "a string");
      case "hidden" -> requireType("name", value, BsonType.BOOLEAN, "a bool"); // MongoDB's slip
      case "v" -> requireVersion(spec, value);
      case "collation", "originalSpec" -> {
        requireType(name, value, BsonType.DOCUMENT, "an object");
        if (value.asDocument().isEmpty()) {
          throw new CommandException(
              ErrorCode.BAD_VALUE, "The field '" + name + "' cannot be an empty object.");
        }
      }
      case "partialFilterExpression" -> {
        requireType(name, value, BsonType.DOCUMENT, "an object");
        FilterParser.parse(value.asDocument(), FilterContext.DEFAULT.allowing(Set.of()));
      }
      case "wildcardProjection" ->
          WildcardProjections.require(spec.getDocument("key", new BsonDocument()), value);
      case "weights" -> {
        if (!value.isDocument() && !value.isArray() && !value.isString()) {
          requireType(name, value, BsonType.DOCUMENT, "an object");
        }
      }
      default -> requireSimple(name, value);
    }
  }

  private static void requireSimple(String name, BsonValue value) {
    if (SWITCHES.contains(name) && !value.isBoolean() && !isNumber(value)) {
      throw new CommandException(
          TYPE_MISMATCH,
          "The field '%s has value %s, which is not convertible to bool"
              .formatted(name, BsonText.element(name, value)));
    }
    if (TEXTS.contains(name)) {
      requireType(name, value, BsonType.STRING, "a string");
    }
    if (NUMBERS.contains(name) && !isNumber(value)) {
      throw wrongType(name, "a number", value);
    }
  }

  private static void requireKey(BsonDocument spec, BsonValue value) {
    requireType("key", value, BsonType.DOCUMENT, "an object");
    BsonDocument key = value.asDocument();
    IndexKeyPattern.require(key);
    boolean isCompound = key.size() > 1 && !IndexKeyPattern.kind(key).equals("text");
    if (isCompound && key.containsKey("$**") && !spec.containsKey("wildcardProjection")) {
      throw new CommandException(
          CANNOT_CREATE_INDEX,
          "Compound wildcard indexes on all fields must also specify 'wildcardProjection'"
              + " option");
    }
  }

  private static void requireVersion(BsonDocument spec, BsonValue value) {
    if (!isNumber(value)) {
      throw wrongType("v", "a number", value);
    }
    double version = value.isNumber() ? value.asNumber().doubleValue() : Double.NaN;
    if (version != (int) version) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "Index version must be representable as a 32-bit integer, but got "
              + BsonText.stored(value));
    }
    if (version != 1 && version != 2) {
      throw new CommandException(
          CANNOT_CREATE_INDEX,
          "Invalid index specification %s; cannot create an index with v=%d"
              .formatted(BsonText.document(spec), (int) version));
    }
  }

  private static void requireTogether(BsonDocument spec) {
    for (String required : List.of("key", "name")) {
      if (!spec.containsKey(required)) {
        throw new CommandException(
            ErrorCode.FAILED_TO_PARSE,
            "The '" + required + "' field is a required property of an index specification");
      }
    }
    if (spec.containsKey("clustered")) {
      requireClustered(spec);
    }
    boolean isOld = spec.containsKey("v") && spec.getNumber("v").intValue() < 2;
    if (spec.containsKey("collation") && isOld) {
      throw invalid(spec, "cannot create an index with the 'collation' option and v=1");
    }
    if (spec.containsKey("weights") && !kind(spec).equals("text")) {
      throw invalid(spec, "the field 'weights' can only be specified with text indexes");
    }
    if (isTrue(spec, "unique") && isTrue(spec, "prepareUnique")) {
      throw invalid(
          spec, "cannot create an index with the 'unique' option and the 'prepareUnique' option");
    }
  }

  private static void requireClustered(BsonDocument spec) {
    if (!isTrue(spec, "clustered")) {
      throw new CommandException(
          ErrorCode.LOCATION_6492800, "Value 'false' for field 'clustered' is invalid");
    }
    if (!isTrue(spec, "unique")) {
      throw new CommandException(
          CANNOT_CREATE_INDEX, "The 'unique' field is required when 'clustered' is specified");
    }
  }

  private static CommandException invalid(BsonDocument spec, String reason) {
    return new CommandException(
        CANNOT_CREATE_INDEX,
        "Invalid index specification %s; %s".formatted(BsonText.document(spec), reason));
  }

  static String kind(BsonDocument spec) {
    return IndexKeyPattern.kind(spec.getDocument("key"));
  }

  /** The index on {@code _id} can be asked for, but only as it is. */
  static void requireIdIndex(BsonDocument spec) {
    for (String name : spec.keySet()) {
      if (!spec.containsKey("clustered") && !ID_FIELDS.contains(name)) {
        throw new CommandException(
            ErrorCode.INVALID_INDEX_SPECIFICATION_OPTION,
            "The field '%s' is not valid for an _id index specification. Specification: %s"
                .formatted(name, BsonText.document(spec)));
      }
    }
    BsonDocument key = spec.getDocument("key");
    if (!BsonOrder.CANONICAL.areEqual(key, new BsonDocument("_id", new BsonInt32(1)))) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "The field 'key' for an _id index must be {_id: 1}, but got " + BsonText.document(key));
    }
  }

  /** The spec with its collation completed, or with that of the collection. */
  static BsonDocument withCollation(BsonDocument spec, @Nullable BsonDocument inherited) {
    var resolved = new BsonDocument();
    resolved.putAll(spec);
    if (spec.containsKey("collation")) {
      Collation collation = Collation.parse(spec.getDocument("collation"));
      resolved.remove("collation");
      if (!collation.isSimple()) {
        resolved.append("collation", collation.specification());
      }
    } else if (inherited != null && spec.getNumber("v").intValue() >= 2) {
      resolved.append("collation", inherited);
    }
    return resolved;
  }

  /** The form that is kept: version, switches, key and name first, truth as true. */
  public static BsonDocument fix(BsonDocument spec) {
    var fixed = new BsonDocument("v", new BsonInt32(spec.getNumber("v").intValue()));
    for (String name : FIRST.subList(1, FIRST.size())) {
      if (isTrue(spec, name)) {
        fixed.append(name, BsonBoolean.TRUE);
      }
    }
    boolean isId = IndexKeyPattern.isId(spec.getDocument("key"));
    fixed.append("key", isId ? new BsonDocument("_id", new BsonInt32(1)) : spec.getDocument("key"));
    fixed.append("name", isId ? new BsonString("_id_") : spec.getString("name"));
    spec.forEach(
        (name, value) -> {
          if (!FIRST.contains(name) && !name.equals("dropDups")) {
            fixed.putIfAbsent(name, value);
          }
        });
    return fixed;
  }

  static boolean isTrue(BsonDocument spec, String name) {
    BsonValue value = spec.get(name);
    if (value == null) {
      return false;
    }
    return value.isBoolean()
        ? value.asBoolean().getValue()
        : value.isNumber() && value.asNumber().doubleValue() != 0;
  }

  static boolean isNumber(BsonValue value) {
    return value.isNumber() || value.getBsonType() == BsonType.DECIMAL128;
  }

  private static void requireType(String name, BsonValue value, BsonType type, String expected) {
    if (value.getBsonType() != type) {
      throw wrongType(name, expected, value);
    }
  }

  private static CommandException wrongType(String name, String expected, BsonValue value) {
    return new CommandException(
        TYPE_MISMATCH,
        "The field '%s' must be %s, but got %s"
            .formatted(name, expected, BsonText.typeName(value)));
  }
}
