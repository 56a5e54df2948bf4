package dev.orrery.server.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** Documents of plain values as YAML 1.2, and back. */
final class YamlText {
  private static final int LINE_MAX = 10_000; // a shape of a request is one line

  private YamlText() {}

  /** Throws YamlEngineException for what is no YAML, or no document. */
  static BsonDocument parse(String text) {
    Object content =
        new Load(LoadSettings.builder().setLabel("budgets").build()).loadFromString(text);
    BsonValue value = content == null ? new BsonDocument() : toBson(content);
    if (!value.isDocument()) {
      throw new YamlEngineException("it has no keys");
    }
    return value.asDocument();
  }

  private static BsonValue toBson(@Nullable Object value) {
    if (value == null) {
      return BsonNull.VALUE;
    }
    if (value instanceof Map<?, ?> map) {
      var document = new BsonDocument();
      map.forEach((name, inner) -> document.append(String.valueOf(name), toBson(inner)));
      return document;
    }
    if (value instanceof List<?> list) {
      var array = new BsonArray();
      list.forEach(inner -> array.add(toBson(inner)));
      return array;
    }
    if (value instanceof Boolean bool) {
      return BsonBoolean.valueOf(bool);
    }
    if (value instanceof Integer || value instanceof Long) {
      return new BsonInt64(((Number) value).longValue());
    }
    return value instanceof Number number
        ? new BsonDouble(number.doubleValue())
        : new BsonString(value.toString());
  }

  static String of(BsonDocument document) {
    var settings =
        DumpSettings.builder()
            .setDefaultFlowStyle(FlowStyle.BLOCK)
            .setWidth(LINE_MAX)
            .setMaxSimpleKeyLength(1024)
            .build();
    return new Dump(settings).dumpToString(toPlain(document));
  }

  private static @Nullable Object toPlain(BsonValue value) {
    return switch (value.getBsonType()) {
      case DOCUMENT -> {
        var map = new LinkedHashMap<String, @Nullable Object>();
        value.asDocument().forEach((name, inner) -> map.put(name, toPlain(inner)));
        yield map;
      }
      case ARRAY -> {
        var list = new ArrayList<@Nullable Object>();
        value.asArray().forEach(inner -> list.add(toPlain(inner)));
        yield list;
      }
      case BOOLEAN -> value.asBoolean().getValue();
      case DOUBLE -> value.asDouble().getValue();
      case INT32, INT64 -> value.asNumber().longValue();
      case NULL -> null;
      case STRING -> value.asString().getValue();
      default -> throw new IllegalArgumentException("no plain value: " + value);
    };
  }
}
