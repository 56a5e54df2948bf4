package dev.orrery.compat;

import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDbPointer;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonJavaScript;
import org.bson.BsonJavaScriptWithScope;
import org.bson.BsonMaxKey;
import org.bson.BsonMinKey;
import org.bson.BsonNull;
import org.bson.BsonObjectId;
import org.bson.BsonRegularExpression;
import org.bson.BsonString;
import org.bson.BsonSymbol;
import org.bson.BsonTimestamp;
import org.bson.BsonUndefined;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.bson.types.ObjectId;

/**
 * Canonical extended JSON as trees of {@link Json}. The bson library's own parser also takes old
 * forms, and would read the operator {@code {$regex: "a", $options: "i"}} as a value.
 */
final class ExtendedJson {
  private ExtendedJson() {}

  static BsonDocument document(Object tree) {
    return value(tree).asDocument();
  }

  static BsonValue value(Object tree) {
    if (tree == null) {
      return BsonNull.VALUE;
    } else if (tree instanceof String text) {
      return new BsonString(text);
    } else if (tree instanceof Boolean truth) {
      return BsonBoolean.valueOf(truth);
    } else if (tree instanceof List<?> list) {
      return new BsonArray(list.stream().map(ExtendedJson::value).toList());
    }
    Map<?, ?> map = (Map<?, ?>) tree;
    BsonValue typed = map.isEmpty() ? null : typed(map, (String) map.keySet().iterator().next());
    if (typed != null) {
      return typed;
    }
    var document = new BsonDocument();
    map.forEach((name, field) -> document.append((String) name, value(field)));
    return document;
  }

  private static BsonValue typed(Map<?, ?> map, String type) {
    Object body = map.get(type);
    if (map.size() == 2 && type.equals("$code")) {
      return new BsonJavaScriptWithScope((String) body, document(map.get("$scope")));
    }
    if (map.size() != 1) {
      return null;
    }
    return switch (type) {
      case "$numberInt" -> new BsonInt32(Integer.parseInt((String) body));
      case "$numberLong" -> new BsonInt64(Long.parseLong((String) body));
      case "$numberDouble" -> new BsonDouble(number((String) body));
      case "$numberDecimal" -> new BsonDecimal128(Decimal128.parse((String) body));
      case "$oid" -> new BsonObjectId(new ObjectId((String) body));
      case "$date" -> new BsonDateTime(Long.parseLong(inner(body, "$numberLong")));
      case "$binary" ->
          new BsonBinary(
              (byte) Integer.parseInt(inner(body, "subType"), 16),
              Base64.getDecoder().decode(inner(body, "base64")));
      case "$regularExpression" ->
          new BsonRegularExpression(inner(body, "pattern"), inner(body, "options"));
      case "$timestamp" -> timestamp((Map<?, ?>) body);
      case "$code" -> new BsonJavaScript((String) body);
      case "$symbol" -> new BsonSymbol((String) body);
      case "$dbPointer" ->
          new BsonDbPointer(
              inner(body, "$ref"), new ObjectId(inner(((Map<?, ?>) body).get("$id"), "$oid")));
      case "$undefined" -> new BsonUndefined();
      case "$minKey" -> new BsonMinKey();
      case "$maxKey" -> new BsonMaxKey();
      default -> null;
    };
  }

  private static BsonTimestamp timestamp(Map<?, ?> body) {
    long seconds = (Long) body.get("t");
    long increment = (Long) body.get("i");
    return new BsonTimestamp(seconds << 32 | increment);
  }

  private static String inner(Object body, String name) {
    return (String) ((Map<?, ?>) body).get(name);
  }

  private static double number(String text) {
    return switch (text) {
      case "Infinity" -> Double.POSITIVE_INFINITY;
      case "-Infinity" -> Double.NEGATIVE_INFINITY;
      default -> Double.parseDouble(text);
    };
  }

  /** The tree of a value, with numbers as their shortest text. */
  static Object tree(BsonValue value) {
    return switch (value.getBsonType()) {
      case DOUBLE -> one("$numberDouble", text(value.asDouble().getValue()));
      case STRING -> value.asString().getValue();
      case DOCUMENT -> tree(value.asDocument());
      case ARRAY -> {
        var list = new ArrayList<>();
        value.asArray().forEach(element -> list.add(tree(element)));
        yield list;
      }
      case BINARY -> binary(value.asBinary());
      case UNDEFINED -> one("$undefined", true);
      case OBJECT_ID -> one("$oid", value.asObjectId().getValue().toHexString());
      case BOOLEAN -> value.asBoolean().getValue();
      case DATE_TIME ->
          one("$date", one("$numberLong", Long.toString(value.asDateTime().getValue())));
      case NULL -> null;
      case REGULAR_EXPRESSION -> regex(value.asRegularExpression());
      case DB_POINTER -> pointer(value.asDBPointer());
      case JAVASCRIPT -> one("$code", value.asJavaScript().getCode());
      case SYMBOL -> one("$symbol", value.asSymbol().getSymbol());
      case JAVASCRIPT_WITH_SCOPE -> {
        var map = one("$code", value.asJavaScriptWithScope().getCode());
        map.put("$scope", tree(value.asJavaScriptWithScope().getScope()));
        yield map;
      }
      case INT32 -> one("$numberInt", Integer.toString(value.asInt32().getValue()));
      case TIMESTAMP -> timestamp(value.asTimestamp());
      case INT64 -> one("$numberLong", Long.toString(value.asInt64().getValue()));
      case DECIMAL128 -> one("$numberDecimal", value.asDecimal128().getValue().toString());
      case MIN_KEY -> one("$minKey", 1L);
      case MAX_KEY -> one("$maxKey", 1L);
      case END_OF_DOCUMENT -> throw new IllegalArgumentException("not a value");
    };
  }

  static Map<String, Object> tree(BsonDocument document) {
    var map = new LinkedHashMap<String, Object>();
    document.forEach((name, field) -> map.put(name, tree(field)));
    return map;
  }

  private static Map<String, Object> one(String name, Object value) {
    var map = new LinkedHashMap<String, Object>();
    map.put(name, value);
    return map;
  }

  private static String text(double value) {
    if (Double.isInfinite(value)) {
      return value > 0 ? "Infinity" : "-Infinity";
    }
    return Double.toString(value);
  }

  private static Object binary(BsonBinary value) {
    var map = one("base64", Base64.getEncoder().encodeToString(value.getData()));
    map.put("subType", "%02x".formatted(value.getType()));
    return one("$binary", map);
  }

  private static Object regex(BsonRegularExpression value) {
    var map = one("pattern", value.getPattern());
    map.put("options", value.getOptions());
    return one("$regularExpression", map);
  }

  private static Object pointer(BsonDbPointer value) {
    var map = one("$ref", value.getNamespace());
    map.put("$id", one("$oid", value.getId().toHexString()));
    return one("$dbPointer", map);
  }

  private static Object timestamp(BsonTimestamp value) {
    var map = one("t", Integer.toUnsignedLong(value.getTime()));
    map.put("i", Integer.toUnsignedLong(value.getInc()));
    return one("$timestamp", map);
  }
}
