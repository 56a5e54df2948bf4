package dev.orrery.compat;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Takes out of an answer what varies from run to run, as was done when the answers were recorded:
 * generated ids, times near now, UUIDs, cursor ids, cluster time.
 */
final class OracleNormaliser {
  private static final long NEAR_MILLIS = 3L * 86_400_000;
  private static final Set<String> STRIPPED =
      Set.of(
          "$clusterTime",
          "operationTime",
          "electionId",
          "opTime",
          "lastCommittedOpTime",
          "$gleStats",
          "$configTime",
          "$topologyTime",
          "commitQuorum");
  private static final Set<String> VARYING =
      Set.of(
          "connectionId",
          "durationMillis",
          "executionTimeMillis",
          "millis",
          "uuid",
          "configVersion",
          "collectionUUID",
          "dropTarget");
  private static final Set<String> ENGINE =
      Set.of("wiredTiger", "targetMinOS", "allocator", "openssl", "sysInfo");
  private static final Pattern UUID =
      Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
  private static final String KEPT_UUID = "00112233-4455-6677-8899-aabbccddeeff";
  private static final Pattern OBJECT_ID = Pattern.compile("ObjectId\\('([0-9a-f]{24})'\\)");
  private static final Pattern CURSOR_ID =
      Pattern.compile("((?:cursor(?: with)? id:?|on cursor) )\\d{6,}", Pattern.CASE_INSENSITIVE);
  private static final Pattern TABLE = Pattern.compile("uri: table:\\S+");
  private static final Pattern TEMPORARY = Pattern.compile("tmp\\w{5}(\\.convertToCapped)");
  private static final Pattern TIMESTAMP = Pattern.compile("(Timestamp\\()\\d{9,}, \\d+");

  private static final Pattern TOKEN = Pattern.compile("[0-9A-F]{20,}");
  private static final Pattern TOLD_TOKEN = Pattern.compile("(_data: \\\\?\")[0-9A-F]{20,}");

  private final Map<String, Object> flags;

  OracleNormaliser(Map<String, Object> flags) {
    this.flags = flags;
  }

  Object reply(Map<String, Object> reply) {
    var kept = new LinkedHashMap<String, Object>(reply);
    kept.keySet().removeAll(STRIPPED);
    boolean isFailed = isFailed(kept);
    Map<String, Object> stable = asMap(stable(kept, ""));
    return isFailed ? stable : view(sameForm(stable));
  }

  /** A recorded reply; numbers and order in the form that {@link #reply} gives. */
  Object recorded(Object reply) {
    if (reply instanceof List<?> list) {
      return list.stream().map(this::recorded).toList();
    }
    Map<String, Object> map = new LinkedHashMap<>(asMap(reply));
    return isFailed(map) || flags.get("view") != null ? map : sameForm(map);
  }

  private static boolean isFailed(Map<String, Object> reply) {
    return "{\"$numberDouble\":\"0.0\"}".equals(Json.text(reply.get("ok")));
  }

  private Map<String, Object> sameForm(Map<String, Object> reply) {
    Map<String, Object> map = asMap(numbers(reply));
    normaliseCursor(map);
    normaliseKilled(map);
    normaliseOrder(map);
    return map;
  }

  private Object view(Map<String, Object> reply) {
    Object view = flags.get("view");
    if (view == null) {
      return reply;
    }
    reply.keySet().removeAll(ENGINE);
    if ("names".equals(view)) {
      var names = new LinkedHashMap<String, Object>();
      names.put("names", new ArrayList<Object>(new TreeSet<>(reply.keySet())));
      return names;
    }
    if ("stages".equals(view)) {
      return new LinkedHashMap<>(Map.of("stages", ExplainedStages.of(reply)));
    }
    if ("types".equals(view)) {
      reply.replaceAll((name, value) -> shape(value));
    }
    return reply;
  }

  private static String shape(Object value) {
    if (value instanceof List) {
      return "array";
    } else if (value == null) {
      return "null";
    } else if (value instanceof Boolean) {
      return "boolean";
    } else if (value instanceof String) {
      return "string";
    }
    String type = typeOf(value);
    return type == null ? "object" : SHAPES.getOrDefault(type, type);
  }

  private static final int DIGITS = 12;

  private static final Map<String, String> SHAPES =
      Map.of(
          "$numberInt", "int",
          "$numberLong", "long",
          "$numberDouble", "double",
          "$numberDecimal", "decimal",
          "$oid", "oid",
          "$date", "date",
          "$binary", "bin",
          "$timestamp", "timestamp");

  private void normaliseCursor(Map<String, Object> reply) {
    if (!(reply.get("cursor") instanceof Map)) {
      return;
    }
    Map<String, Object> cursor = asMap(reply.get("cursor"));
    if (cursor.get("id") instanceof Map<?, ?> id && !"0".equals(id.get("$numberLong"))) {
      cursor.put("id", "nonzero");
    }
    for (String batch : List.of("firstBatch", "nextBatch")) {
      if (cursor.get(batch) instanceof List<?> documents) {
        if ("all".equals(flags.get("unordered"))) {
          cursor.put(batch, sortedArrays(documents));
        } else if ("docs".equals(flags.get("unordered"))) {
          cursor.put(batch, sorted(documents));
        }
      }
    }
  }

  private static void normaliseKilled(Map<String, Object> reply) {
    for (String name :
        List.of("cursorsKilled", "cursorsNotFound", "cursorsAlive", "cursorsUnknown")) {
      if (reply.get(name) instanceof List<?> ids) {
        reply.put(name, ids.stream().map(OracleNormaliser::cursorId).toList());
      }
    }
  }

  private static Object cursorId(Object id) {
    boolean isReal =
        id instanceof Map<?, ?> map
            && map.get("$numberLong") instanceof String text
            && Long.parseLong(text) > 1_000_000_000L;
    return isReal ? "cursor" : id;
  }

  private void normaliseOrder(Map<String, Object> reply) {
    if ("fields".equals(flags.get("unordered"))) {
      reply.computeIfPresent("upserted", (name, value) -> sortedFields(value));
      if (reply.get("value") instanceof Map) {
        reply.put("value", sortedFields(reply.get("value")));
      }
    }
    if (flags.get("unordered") != null && reply.get("values") instanceof List<?> values) {
      reply.put("values", sorted(values));
    }
  }

  /** Documents of a collection, read back after the command. */
  Object after(Object documents) {
    Object result = documents;
    if ("all".equals(flags.get("unordered"))) {
      result = sortedArrays(result);
    } else if ("fields".equals(flags.get("unordered"))) {
      result = sortedFields(result);
    }
    return numbers(stable(result, ""));
  }

  private static Object stable(Object value, String key) {
    if (value instanceof String text) {
      return key.equals("_data") && TOKEN.matcher(text).matches() ? "*" : plain(text);
    } else if (value instanceof List<?> list) {
      return new ArrayList<>(list.stream().map(element -> stable(element, "")).toList());
    } else if (!(value instanceof Map)) {
      return value;
    }
    String type = typeOf(value);
    if (type != null) {
      return VARYING.contains(key) ? "*" : stableTyped(asMap(value), type);
    }
    var map = new LinkedHashMap<String, Object>();
    asMap(value).forEach((name, field) -> map.put(plain(name), stable(field, name)));
    return map;
  }

  private static Object stableTyped(Map<String, Object> value, String type) {
    if (type.equals("$binary") && isSession(asMap(value.get(type)))) {
      var binary = new LinkedHashMap<String, Object>(asMap(value.get(type)));
      binary.put("base64", "*");
      return new LinkedHashMap<>(Map.of(type, binary));
    }
    boolean isNear =
        switch (type) {
          case "$oid" -> isNear(objectIdMillis((String) value.get(type)));
          case "$date" ->
              isNear(Long.parseLong((String) asMap(value.get(type)).get("$numberLong")));
          case "$timestamp" -> isNear((Long) asMap(value.get(type)).get("t") * 1000);
          default -> false;
        };
    if (!isNear) {
      return value;
    }
    var star = new LinkedHashMap<String, Object>();
    star.put(type, "*");
    return star;
  }

  private static boolean isSession(Map<String, Object> binary) {
    return "04".equals(binary.get("subType"))
        && binary.get("base64") instanceof String text
        && text.startsWith(OracleReferences.SESSION_PREFIX_TEXT);
  }

  private static long objectIdMillis(String hex) {
    return Long.parseLong(hex.substring(0, 8), 16) * 1000;
  }

  private static boolean isNear(long millis) {
    return Math.abs(System.currentTimeMillis() - millis) < NEAR_MILLIS;
  }

  private static String plain(String text) {
    String result =
        UUID.matcher(text).replaceAll(m -> m.group().equals(KEPT_UUID) ? KEPT_UUID : "<uuid>");
    result =
        OBJECT_ID
            .matcher(result)
            .replaceAll(m -> isNear(objectIdMillis(m.group(1))) ? "ObjectId('*')" : m.group());
    result = CURSOR_ID.matcher(result).replaceAll("$1<id>");
    result = TOLD_TOKEN.matcher(result).replaceAll("$1*");
    result = TABLE.matcher(result).replaceAll("uri: <table>");
    result = TEMPORARY.matcher(result).replaceAll("tmp*$1");
    return TIMESTAMP.matcher(result).replaceAll("$1*");
  }

  /**
   * Numbers in one notation and, where a case asks for it, to twelve digits or as many as it says:
   * mathematical functions differ in the last places.
   */
  private Object numbers(Object value) {
    if (value instanceof List<?> list) {
      return new ArrayList<>(list.stream().map(this::numbers).toList());
    } else if (!(value instanceof Map)) {
      return value;
    }
    Map<String, Object> map = asMap(value);
    String type = typeOf(value);
    var result = new LinkedHashMap<String, Object>();
    boolean isRounded = flags.get("approx") != null;
    if ("$numberDouble".equals(type) || "$numberDecimal".equals(type) && isRounded) {
      int digits = flags.get("approx") instanceof String text ? Integer.parseInt(text) : DIGITS;
      result.put(type, number((String) map.get(type), isRounded ? digits : 0));
    } else {
      map.forEach((name, field) -> result.put(name, numbers(field)));
    }
    return result;
  }

  private static String number(String text, int digits) {
    if (!text.matches("[-+0-9.eE]+")) {
      return text;
    }
    if (digits == 0) {
      return Double.toString(Double.parseDouble(text));
    }
    var exact = new BigDecimal(text);
    if (exact.abs().compareTo(new BigDecimal("1e-15")) < 0) {
      return "0";
    }
    return exact.round(new MathContext(digits)).stripTrailingZeros().toString();
  }

  private static List<Object> sorted(List<?> list) {
    var result = new ArrayList<Object>(list);
    result.sort(Comparator.comparing(Json::text));
    return result;
  }

  private static Object sortedArrays(Object value) {
    if (value instanceof List<?> list) {
      return sorted(list.stream().map(OracleNormaliser::sortedArrays).toList());
    } else if (value instanceof Map) {
      var map = new LinkedHashMap<String, Object>();
      asMap(value).forEach((name, field) -> map.put(name, sortedArrays(field)));
      return map;
    }
    return value;
  }

  private static Object sortedFields(Object value) {
    if (value instanceof List<?> list) {
      return new ArrayList<>(list.stream().map(OracleNormaliser::sortedFields).toList());
    } else if (value instanceof Map) {
      var map = new TreeMap<String, Object>();
      asMap(value).forEach((name, field) -> map.put(name, sortedFields(field)));
      return map;
    }
    return value;
  }

  /** The text two replies are compared by: the order of a reply's own fields does not matter. */
  static String comparable(Object reply, boolean hasMessages) {
    if (reply instanceof List<?> list) {
      return list.stream().map(one -> comparable(one, hasMessages)).toList().toString();
    }
    var map = new TreeMap<>(asMap(reply));
    for (String name : List.of("cursor", "lastErrorObject", "writeConcernError")) {
      map.computeIfPresent(
          name, (key, value) -> value instanceof Map ? new TreeMap<>(asMap(value)) : value);
    }
    for (String name : List.of("writeErrors", "upserted")) {
      if (map.get(name) instanceof List<?> list) {
        map.put(name, list.stream().map(one -> element(one, hasMessages)).toList());
      }
    }
    if (!hasMessages) {
      map.remove("errmsg");
    }
    return Json.text(map);
  }

  private static Object element(Object value, boolean hasMessages) {
    if (!(value instanceof Map)) {
      return value;
    }
    var map = new TreeMap<>(asMap(value));
    if (!hasMessages) {
      map.remove("errmsg");
    }
    return map;
  }

  private static String typeOf(Object value) {
    Map<String, Object> map = asMap(value);
    if (map.size() != 1) {
      return null;
    }
    String name = map.keySet().iterator().next();
    return name.startsWith("$") && !"*".equals(map.get(name)) && SHAPES.containsKey(name)
        ? name
        : null;
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> asMap(Object value) {
    return (Map<String, Object>) value;
  }
}
