package dev.orrery.server.command.schema;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.DoubleText;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.geo.FlatKeys;
import dev.orrery.language.number.Numbers;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;

/** Which options geo indexes may have, and those that they have without being asked. */
final class GeoIndexRules {
  static final String SPHERE = "2dsphere";
  static final String FLAT = "2d";
  private static final String VERSION = "2dsphereIndexVersion";
  private static final int LEVEL_MAX = 30;
  private static final int BITS_MAX = 32;

  private GeoIndexRules() {}

  /** The description with the version of a 2dsphere index at its end, unless it has one. */
  static BsonDocument fixed(BsonDocument spec) {
    var fixed = new BsonDocument();
    fixed.putAll(spec);
    if (!IndexDefinition.kind(spec).equals(SPHERE)) {
      fixed.remove(VERSION);
      return fixed;
    }
    fixed.putIfAbsent(VERSION, new BsonInt32(3));
    int version = (int) Numbers.toDouble(fixed.get(VERSION));
    if (version < 1 || version > 3) {
      throw new CommandException(
          ErrorCode.CANNOT_CREATE_INDEX,
          "unsupported geo index version { %s : %s }, only versions: [1,2,3] are supported"
              .formatted(VERSION, BsonText.element(VERSION, fixed.get(VERSION))));
    }
    return fixed;
  }

  /** Refuses what MongoDB finds when it begins to build the index. */
  static void requireBuildable(BsonDocument spec) {
    String kind = IndexDefinition.kind(spec);
    if (kind.equals(SPHERE)) {
      requireLevels(spec);
    } else if (kind.equals(FLAT)) {
      requireFirst(spec.getDocument("key"));
      requireGrid(spec);
    }
  }

  private static void requireLevels(BsonDocument spec) {
    requireWhole(spec, VERSION, 3);
    long finest = requireWhole(spec, "finestIndexedLevel", LEVEL_MAX);
    long coarsest = requireWhole(spec, "coarsestIndexedLevel", 0);
    if (coarsest < 0) {
      throw refused(ErrorCode.LOCATION_16747, "coarsestIndexedLevel must be >= 0");
    }
    if (finest > LEVEL_MAX) {
      throw refused(ErrorCode.LOCATION_16748, "finestIndexedLevel must be <= 30");
    }
    if (finest < coarsest) {
      throw refused(ErrorCode.LOCATION_16749, "finestIndexedLevel must be >= coarsestIndexedLevel");
    }
  }

  private static long requireWhole(BsonDocument spec, String name, long absent) {
    BsonValue value = spec.get(name);
    if (value == null) {
      return absent;
    }
    double number = Numbers.toDouble(value);
    if (number != Math.rint(number) || Double.isInfinite(number)) {
      throw refused(
          ErrorCode.BAD_VALUE,
          "Expected field \"%s\" to have a value exactly representable as a 64-bit integer, but found %s"
              .formatted(name, BsonText.element(name, value)));
    }
    return (long) number;
  }

  private static void requireFirst(BsonDocument key) {
    boolean hasFlat = false;
    boolean hasOther = false;
    for (BsonValue value : key.values()) {
      if (!value.isString()) {
        hasOther = true;
        continue;
      }
      if (hasFlat) {
        throw refused(ErrorCode.LOCATION_16800, "can't have 2 geo fields");
      }
      if (hasOther) {
        throw refused(ErrorCode.LOCATION_16801, "2d has to be first in index");
      }
      hasFlat = true;
    }
  }

  private static void requireGrid(BsonDocument spec) {
    int bits = (int) number(spec, "bits", FlatKeys.BITS_DEFAULT);
    double min = number(spec, "min", -180);
    double max = number(spec, "max", 180);
    if (bits < 1 || bits > BITS_MAX) {
      throw refused(
          ErrorCode.INVALID_OPTIONS,
          "bits for hash must be > 0 and <= 32, but " + bits + " bits were specified");
    }
    if (!(min < max) || Double.isInfinite(min) || Double.isInfinite(max)) {
      throw refused(
          ErrorCode.INVALID_OPTIONS,
          "region for hash must be valid and have positive area, but [%s, %s] was specified"
              .formatted(DoubleText.brief(min), DoubleText.brief(max)));
    }
  }

  private static double number(BsonDocument spec, String name, double absent) {
    return spec.containsKey(name) ? Numbers.toDouble(spec.get(name)) : absent;
  }

  private static CommandException refused(ErrorCode code, String message) {
    return new CommandException(code, message);
  }
}
