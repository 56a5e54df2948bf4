package dev.orrery.language.query;

import static dev.orrery.language.query.FilterParser.badValue;
import static java.util.Map.entry;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.bson.BsonDouble;
import org.bson.BsonType;
import org.jspecify.annotations.Nullable;

/** A set of BSON types as {@code $type} and {@code bsonType} name them. */
public record TypeSet(Set<Byte> types) {
  private static final Set<Byte> NUMBERS =
      Set.of(RawTypes.DOUBLE, RawTypes.INT32, RawTypes.INT64, RawTypes.DECIMAL128);

  private static final Map<String, Byte> ALIASES = aliases();

  /** The names of JSON Schema's own {@code type}; "number" stands for all four. */
  private static final Map<String, Byte> JSON_ALIASES =
      Map.ofEntries(
          entry("array", RawTypes.ARRAY),
          entry("boolean", RawTypes.BOOLEAN),
          entry("null", RawTypes.NULL),
          entry("object", RawTypes.DOCUMENT),
          entry("string", RawTypes.STRING));

  public TypeSet {
    types = Set.copyOf(types);
  }

  private static Map<String, Byte> aliases() {
    var aliases = new HashMap<String, Byte>();
    for (var type : BsonType.values()) {
      if (type != BsonType.END_OF_DOCUMENT) {
        aliases.put(BsonText.typeName(type), RawTypes.of(type));
      }
    }
    return Map.copyOf(aliases);
  }

  /** Whether a value's type is in the set; never for a missing one. */
  boolean contains(@Nullable RawValue value) {
    return value != null && types.contains(value.type());
  }

  boolean isEmpty() {
    return types.isEmpty();
  }

  static TypeSet of(byte type) {
    return new TypeSet(Set.of(type));
  }

  /** The types named by the argument of {@code $type}: a name, a number, or several. */
  static TypeSet parse(RawValue argument) {
    var types = new TreeSet<Byte>();
    if (argument.isArray()) {
      argument.asDocument().toValues().forEach(value -> add(value, types));
    } else {
      add(argument, types);
    }
    return new TypeSet(types);
  }

  private static void add(RawValue type, Collection<Byte> types) {
    if (type.type() == RawTypes.STRING) {
      addAlias(type.asString(), ALIASES, types);
    } else if (type.isNumber()) {
      types.add(parseCode(type));
    } else {
      throw new CommandException(
          ErrorCode.TYPE_MISMATCH, "type must be represented as a number or a string");
    }
  }

  private static byte parseCode(RawValue number) {
    var code = IntegerArgument.exactLong(number);
    String problem = "Invalid numerical type code: " + numberText(number);
    if (code != null && code == 0) {
      throw badValue(problem + ". Instead use {$exists:false}.");
    }
    boolean isMinKey = code != null && code == -1;
    if (code == null
        || (!isMinKey && (code < 1 || code > 127))
        || (!isMinKey && BsonType.findByValue(code.intValue()) == null)) {
      throw badValue(problem);
    }
    return code.byteValue();
  }

  /** The number as MongoDB prints a double in a message, without a trailing ".0". */
  private static String numberText(RawValue number) {
    var value =
        switch (number.type()) {
          case RawTypes.INT32 -> (double) number.asInt32();
          case RawTypes.INT64 -> (double) number.asInt64();
          case RawTypes.DOUBLE -> number.asDouble();
          default -> number.toBsonValue().asDecimal128().decimal128Value().doubleValue();
        };
    return BsonText.aggregated(new BsonDouble(value));
  }

  /** The types of a {@code bsonType} (BSON names) or {@code type} (JSON names) keyword. */
  static TypeSet ofAliases(Collection<String> names, boolean isJson) {
    var types = new TreeSet<Byte>();
    names.forEach(name -> addAlias(name, isJson ? JSON_ALIASES : ALIASES, types));
    return new TypeSet(types);
  }

  private static void addAlias(String name, Map<String, Byte> aliases, Collection<Byte> types) {
    var type = aliases.get(name);
    if (name.equals("number")) {
      types.addAll(NUMBERS);
    } else if (type == null) {
      throw badValue("Unknown type name alias: " + name);
    } else {
      types.add(type);
    }
  }

  static TypeSet numbers() {
    return new TypeSet(NUMBERS);
  }
}
