package dev.orrery.server.command.schema;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.number.Numbers;
import dev.orrery.language.text.TextFields;
import dev.orrery.language.text.TextLanguage;
import java.util.Map;
import java.util.TreeMap;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/*
 * {key: {p: 1, b: "text", a: "text", s: 1}, weights: {a: 5}} is kept as
 *
 *   {key: {p: 1, _fts: "text", _ftsx: 1, s: 1}, weights: {a: 5, b: 1}, default_language: "english",
 *    language_override: "language", textIndexVersion: 3}
 */

/** Which options a text index may have, and the form in which it is kept. */
final class TextIndexRules {
  private static final String KIND = "text";
  private static final String TERM = "_fts";
  private static final String SCORE = "_ftsx";
  private static final int WEIGHT_LIMIT = 100_000;

  private TextIndexRules() {}

  static BsonDocument fixed(BsonDocument spec) {
    if (!IndexDefinition.kind(spec).equals(KIND)) {
      return spec;
    }
    BsonDocument key = spec.getDocument("key");
    requireForm(key);
    var fixed = new BsonDocument();
    fixed.putAll(spec);
    fixed.put("key", key(key));
    fixed.remove("weights");
    fixed.append("weights", weights(key, spec.get("weights")));
    BsonValue language = spec.get("default_language", new BsonString("english"));
    if (TextLanguage.find(language.asString().getValue()) == null) {
      throw refused("default_language is not valid");
    }
    fixed.remove("default_language");
    fixed.append("default_language", language);
    BsonValue override = spec.get("language_override", new BsonString("language"));
    requireOverride(override.asString().getValue());
    fixed.remove("language_override");
    fixed.append("language_override", override);
    int version =
        spec.containsKey("textIndexVersion")
            ? (int) Numbers.toDouble(spec.get("textIndexVersion"))
            : 3;
    if (version < 1 || version > 3) {
      throw refused("bad textIndexVersion: " + version);
    }
    fixed.remove("textIndexVersion");
    return fixed.append("textIndexVersion", new BsonInt32(version));
  }

  private static void requireForm(BsonDocument key) {
    boolean isAfterTerm = false;
    for (String path : key.keySet()) {
      if (isAfterTerm && !path.equals(SCORE)) {
        throw refused("expected _ftsx after _fts");
      }
      isAfterTerm = path.equals(TERM);
    }
    if (isAfterTerm) {
      throw refused("expected _ftsx after _fts");
    }
  }

  private static BsonDocument key(BsonDocument given) {
    if (given.containsKey(TERM)) {
      return given;
    }
    var key = new BsonDocument();
    boolean isAfterText = false;
    for (Map.Entry<String, BsonValue> field : given.entrySet()) {
      if (!isText(field.getValue())) {
        if (isAfterText && key.containsKey(TERM)) {
          key.append(field.getKey(), field.getValue());
          continue;
        }
        key.append(field.getKey(), field.getValue());
      } else if (!isAfterText) {
        isAfterText = true;
        key.append(TERM, new BsonString(KIND)).append(SCORE, new BsonInt32(1));
      } else if (!isText(before(given, field.getKey()))) {
        throw refused("'text' fields in index must all be adjacent");
      }
    }
    return key;
  }

  private static BsonValue before(BsonDocument key, String path) {
    BsonValue before = null;
    for (Map.Entry<String, BsonValue> field : key.entrySet()) {
      if (field.getKey().equals(path)) {
        break;
      }
      before = field.getValue();
    }
    return before;
  }

  private static boolean isText(BsonValue value) {
    return value != null && value.isString() && value.asString().getValue().equals(KIND);
  }

  private static BsonDocument weights(BsonDocument key, BsonValue given) {
    Map<String, BsonValue> weights = new TreeMap<>();
    if (given != null && given.isDocument()) {
      given.asDocument().forEach((path, weight) -> weights.put(path, weight(weight)));
    } else if (given != null && given.isString()) {
      weights.put(given.asString().getValue(), new BsonInt32(1));
    }
    for (Map.Entry<String, BsonValue> field : key.entrySet()) {
      if (isText(field.getValue()) && !field.getKey().equals(TERM)) {
        weights.putIfAbsent(field.getKey(), new BsonInt32(1));
      }
    }
    for (String path : weights.keySet()) {
      boolean isPath = path.equals(TextFields.EVERYTHING) || isPath(path);
      if (!isPath) {
        throw refused("weight must not be empty or begin with '$': " + path);
      }
    }
    var sorted = new BsonDocument();
    sorted.putAll(weights);
    return sorted;
  }

  private static boolean isPath(String path) {
    return !path.isEmpty() && !path.startsWith("$") && !path.endsWith(".");
  }

  private static BsonInt32 weight(BsonValue weight) {
    if (!weight.isNumber()) {
      throw refused("weight for text index needs numeric type");
    }
    int number = (int) Numbers.toDouble(weight);
    if (number <= 0 || number >= WEIGHT_LIMIT) {
      throw refused(
          "text index weight must be in the exclusive interval (0,%d) but found: %d"
              .formatted(WEIGHT_LIMIT, number));
    }
    return new BsonInt32(number);
  }

  private static void requireOverride(String path) {
    if (path.isEmpty() || path.startsWith("$") || path.indexOf('.') >= 0) {
      throw refused("language_override is not valid");
    }
  }

  private static CommandException refused(String message) {
    return new CommandException(ErrorCode.CANNOT_CREATE_INDEX, message);
  }
}
