package dev.orrery.language.query;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.WatchedOrder;
import dev.orrery.value.BsonOrder;
import dev.orrery.value.RawValue;
import dev.orrery.value.StringOrder;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonType;
import org.bson.BsonValue;

/**
 * How strings compare: a collation document, checked and completed. The simple one compares bytes
 * and touches no class of ICU.
 */
public final class Collation {
  /** Strings by their bytes. */
  public static final Collation SIMPLE =
      new Collation(new BsonDocument("locale", new BsonString("simple")), WatchedOrder.CANONICAL);

  /** The version that MongoDB's ICU reports in every collation it prints. */
  static final String VERSION = "57.1";

  private static final List<String> BOOLEANS =
      List.of("caseLevel", "numericOrdering", "normalization", "backwards");

  private final BsonDocument specification;
  private final BsonOrder order;

  private Collation(BsonDocument specification, BsonOrder order) {
    this.specification = specification;
    this.order = order;
  }

  /** Reads a collation document; one without fields is the simple one. */
  public static Collation parse(BsonDocument document) {
    if (document.isEmpty()) {
      return SIMPLE;
    }
    validate(document);
    String locale = document.getString("locale").getValue();
    if (locale.equals("simple")) {
      return SIMPLE;
    }
    requireVersion(document);
    var strings = IcuOrder.of(document);
    return new Collation(strings.specification(), WatchedOrder.of(BsonOrder.with(strings)));
  }

  public boolean isSimple() {
    return this == SIMPLE;
  }

  /** The order of all values under this collation. */
  public BsonOrder order() {
    return order;
  }

  public StringOrder strings() {
    return order.strings();
  }

  /** The collation with all of its fields, as listIndexes and listCollections print it. */
  public BsonDocument specification() {
    return specification;
  }

  private static void validate(BsonDocument document) {
    for (var field : document.entrySet()) {
      validate(field.getKey(), field.getValue());
    }
    if (!document.containsKey("locale")) {
      throw new CommandException(
          ErrorCode.LOCATION_40414,
          "BSON field 'collation.locale' is missing but a required field");
    }
    if (document.getString("locale").getValue().indexOf('\0') >= 0) {
      throw FilterParser.badValue(
          "Field 'locale' cannot contain null byte. Collation spec: "
              + BsonText.document(document));
    }
  }

  private static void validate(String name, BsonValue value) {
    switch (name) {
      case "locale", "version" -> requireType(name, value, BsonType.STRING);
      case "caseFirst" -> requireOneOf(name, value, List.of("upper", "lower", "off"));
      case "alternate" -> requireOneOf(name, value, List.of("non-ignorable", "shifted"));
      case "maxVariable" -> requireOneOf(name, value, List.of("punct", "space"));
      case "strength" -> requireStrength(value);
      default -> {
        if (!BOOLEANS.contains(name)) {
          throw new CommandException(
              ErrorCode.LOCATION_40415, "BSON field 'collation." + name + "' is an unknown field.");
        }
        requireType(name, value, BsonType.BOOLEAN);
      }
    }
  }

  private static void requireType(String name, BsonValue value, BsonType type) {
    if (value.getBsonType() != type) {
      throw new CommandException(
          ErrorCode.TYPE_MISMATCH,
          "BSON field 'collation."
              + name
              + "' is the wrong type '"
              + BsonText.typeName(value)
              + "', expected type '"
              + BsonText.typeName(type)
              + "'");
    }
  }

  private static void requireOneOf(String name, BsonValue value, List<String> choices) {
    requireType(name, value, BsonType.STRING);
    if (!choices.contains(value.asString().getValue())) {
      throw invalidChoice(name, value.asString().getValue());
    }
  }

  private static void requireStrength(BsonValue value) {
    if (!value.isNumber() && value.getBsonType() != BsonType.DECIMAL128) {
      requireType("strength", value, BsonType.INT32);
    }
    var strength = IntegerArgument.truncatedLong(RawValue.of(value));
    if (strength == null || strength < 1 || strength > 5) {
      throw invalidChoice("strength", BsonText.aggregated(value));
    }
  }

  private static CommandException invalidChoice(String name, String value) {
    return FilterParser.badValue(
        "Enumeration value '"
            + value
            + "' for field 'collation."
            + name
            + "' is not a valid value.");
  }

  private static void requireVersion(BsonDocument document) {
    var version = document.get("version");
    if (version != null && !version.asString().getValue().equals(VERSION)) {
      throw new CommandException(
          ErrorCode.INCOMPATIBLE_COLLATION_VERSION,
          "Requested collation version "
              + version.asString().getValue()
              + " but the only available collator version was "
              + VERSION
              + ". Requested collation spec: "
              + BsonText.document(document));
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Collation collation && specification.equals(collation.specification);
  }

  @Override
  public int hashCode() {
    return specification.hashCode();
  }

  @Override
  public String toString() {
    return specification.toJson();
  }
}
