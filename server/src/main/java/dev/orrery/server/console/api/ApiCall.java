package dev.orrery.server.console.api;

import dev.orrery.server.console.http.HttpCall;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonInvalidOperationException;
import org.bson.BsonValue;
import org.bson.json.JsonParseException;
import org.jspecify.annotations.Nullable;

/** A request to the API: who sends it, what stands in its path, its query and its body. */
public record ApiCall(Caller caller, HttpCall http, Map<String, String> names) {
  /** As deep as BSON may be nested, and a little. */
  private static final int DEPTH_MAX = 200;

  /** What stands in the path. */
  String name(String of) {
    return names.get(of);
  }

  @Nullable String query(String name) {
    return http.head().query().get(name);
  }

  String query(String name, String otherwise) {
    return http.head().query().getOrDefault(name, otherwise);
  }

  /** A whole number of the query, within its limits. */
  long number(String name, long otherwise, long min, long max) {
    String text = query(name);
    if (text == null) {
      return otherwise;
    }
    try {
      long value = Long.parseLong(text);
      if (value >= min && value <= max) {
        return value;
      }
    } catch (NumberFormatException e) {
      // told below, like one that is too large
    }
    throw ApiException.badRequest(
        "%s must be a whole number from %d to %d".formatted(name, min, max));
  }

  /** The body: JSON, Extended JSON, or what mongosh writes. */
  BsonDocument body() {
    String text = http.text();
    requireShallow(text);
    try {
      return text.isBlank() ? new BsonDocument() : BsonDocument.parse(text);
    } catch (JsonParseException | BsonInvalidOperationException | NumberFormatException e) {
      throw ApiException.badRequest("the body is no JSON object: " + e.getMessage());
    } catch (RuntimeException e) { // the parser throws what it likes for what it does not like
      throw ApiException.badRequest("the body is no JSON object: " + e);
    }
  }

  /** A document of the body that must be there. */
  static BsonDocument document(BsonDocument body, String name) {
    BsonValue value = body.get(name);
    if (value == null || !value.isDocument()) {
      throw ApiException.badRequest("'" + name + "' must be an object");
    }
    return value.asDocument();
  }

  /** A text of the body; null when it is missing. */
  static @Nullable String text(BsonDocument body, String name) {
    BsonValue value = body.get(name);
    if (value == null || value.isNull()) {
      return null;
    }
    if (!value.isString()) {
      throw ApiException.badRequest("'" + name + "' must be a string");
    }
    return value.asString().getValue();
  }

  static String requireText(BsonDocument body, String name) {
    String text = text(body, name);
    if (text == null) {
      throw ApiException.badRequest("'" + name + "' is missing");
    }
    return text;
  }

  /** A number of the body; null when it is missing. */
  static @Nullable Long wholeNumber(BsonDocument body, String name) {
    BsonValue value = body.get(name);
    if (value == null || value.isNull()) {
      return null;
    }
    if (!value.isNumber() || value.asNumber().doubleValue() != value.asNumber().longValue()) {
      throw ApiException.badRequest("'" + name + "' must be a whole number");
    }
    return value.asNumber().longValue();
  }

  static boolean flag(BsonDocument body, String name) {
    BsonValue value = body.get(name);
    if (value != null && !value.isBoolean()) {
      throw ApiException.badRequest("'" + name + "' must be true or false");
    }
    return value != null && value.asBoolean().getValue();
  }

  /** The parser goes down into what is nested by calling itself. */
  private static void requireShallow(String text) {
    int depth = 0;
    char quote = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (quote != 0) {
        i += c == '\\' ? 1 : 0;
        quote = c == quote ? 0 : quote;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '{' || c == '[' || c == '(') {
        depth++;
      } else if (c == '}' || c == ']' || c == ')') {
        depth--;
      }
      if (depth > DEPTH_MAX) {
        throw ApiException.badRequest("the body is nested too deeply");
      }
    }
  }
}
