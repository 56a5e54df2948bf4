package dev.orrery.language.update;

import dev.orrery.language.error.BsonText;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** What a document must be like to be stored: its depth, its size, the names of its fields. */
final class DocumentRules {
  private static final int BYTES_MAX = 16 * 1024 * 1024;

  /** MongoDB builds documents of this size in memory before it finds them too large to store. */
  private static final int INTERNAL_BYTES_MAX = BYTES_MAX + 16 * 1024;

  private static final int DEPTH_MAX = 180;

  private DocumentRules() {}

  /** The document with {@code _id} as its first field, if it has one. */
  private static BsonDocument withIdInFront(BsonDocument document) {
    if (!document.containsKey("_id") || document.getFirstKey().equals("_id")) {
      return document;
    }
    var ordered = new BsonDocument(document.size());
    ordered.put("_id", document.get("_id"));
    ordered.putAll(document);
    return ordered;
  }

  /** The bytes of a document after an update, with {@code _id} in front. */
  static RawDocument encoded(BsonDocument document) {
    return encoded(
        document, ErrorCode.LOCATION_17419, "Resulting document after update is larger than ");
  }

  /** The bytes of a document to be inserted, with {@code _id} in front. */
  static RawDocument encodedForInsert(BsonDocument document) {
    return encoded(document, ErrorCode.LOCATION_17420, "Document to upsert is larger than ");
  }

  /** The bytes of a document after an update, if they are not too many. */
  static RawDocument requireSize(RawDocument updated) {
    return requireSize(
        updated, ErrorCode.LOCATION_17419, "Resulting document after update is larger than ");
  }

  private static RawDocument encoded(BsonDocument document, ErrorCode code, String words) {
    return requireSize(RawDocument.of(withIdInFront(document)), code, words);
  }

  private static RawDocument requireSize(RawDocument raw, ErrorCode code, String words) {
    if (raw.length() > INTERNAL_BYTES_MAX) {
      throw tooLarge(raw);
    }
    if (raw.length() > BYTES_MAX) {
      throw new CommandException(code, words + BYTES_MAX);
    }
    return raw;
  }

  private static CommandException tooLarge(RawDocument document) {
    var elements = document.elements();
    elements.next();
    return new CommandException(
        ErrorCode.BSON_OBJECT_TOO_LARGE,
        "BSONObj size: "
            + document.length()
            + " (0x"
            + Integer.toHexString(document.length()).toUpperCase(Locale.ROOT)
            + ") is invalid. Size must be between 0 and "
            + INTERNAL_BYTES_MAX
            + "("
            + INTERNAL_BYTES_MAX / (1024 * 1024)
            + "MB) First element: "
            + BsonText.element(elements.name(), elements.value().toBsonValue()));
  }

  /** Checks a whole document that replaces another or is inserted. */
  static void requireStorable(BsonDocument document, boolean allowsDollars) {
    for (var field : document.entrySet()) {
      if (field.getKey().equals("_id")) {
        requireId(field.getValue());
      } else {
        if (!allowsDollars) {
          requireName(document, field.getKey(), field.getKey());
        }
        requireDepth(field.getValue(), 1);
      }
    }
  }

  /** Checks what an operator put at the first {@code depth} parts of a path. */
  static void requireStorable(
      BsonDocument document, List<String> path, int depth, BsonValue value) {
    if (depth == 1) {
      requireName(document, path.get(0), path.get(0));
    }
    requireDepth(value, depth);
  }

  private static void requireDepth(BsonValue value, int depth) {
    if (depth > DEPTH_MAX) {
      throw new CommandException(
          ErrorCode.OVERFLOW, "Document exceeds maximum nesting depth of " + DEPTH_MAX);
    }
    if (value instanceof BsonDocument fields) {
      for (BsonValue field : fields.values()) {
        requireDepth(field, depth + 1);
      }
    } else if (value instanceof BsonArray elements) {
      for (int i = 0; i < elements.size(); i++) {
        requireDepth(elements.get(i), depth + 1);
      }
    }
  }

  private static void requireId(BsonValue id) {
    switch (id.getBsonType()) {
      case REGULAR_EXPRESSION, ARRAY, UNDEFINED ->
          throw new CommandException(
              ErrorCode.INVALID_ID_FIELD,
              "The '_id' value cannot be of type " + BsonText.typeName(id));
      case DOCUMENT -> {
        requireDepth(id, 0); // MongoDB counts the levels inside an id
        requireNames(id.asDocument(), "_id");
      }
      default -> {} // every other value identifies
    }
  }

  /** No field of an {@code _id}, however deep, may start with a dollar. */
  private static void requireNames(BsonDocument document, String path) {
    document.forEach(
        (name, value) -> {
          String inner = path + '.' + name;
          requireName(document, name, inner);
          if (value.isDocument()) {
            requireNames(value.asDocument(), inner);
          }
        });
  }

  /** Refuses a name that starts with a dollar, unless it is part of a DBRef. */
  private static void requireName(BsonDocument document, String name, String path) {
    if (!name.startsWith("$")) {
      return;
    }
    var names = new ArrayList<>(document.keySet());
    int at = names.indexOf(name);
    if (names.get(at).equals("$db")) {
      requireString("$db", document);
      at--;
      requireReference(at >= 0 && names.get(at).equals("$id"), "$db", "$id");
    }
    if (names.get(at).equals("$id")) {
      at--;
      requireReference(at >= 0 && names.get(at).equals("$ref"), "$id", "$ref");
    }
    if (!names.get(at).equals("$ref")) {
      throw new CommandException(
          ErrorCode.DOLLAR_PREFIXED_FIELD_NAME,
          "The dollar ($) prefixed field '"
              + name
              + "' in '"
              + path
              + "' is not allowed in the context of an update's replacement document. Consider"
              + " using an aggregation pipeline with $replaceWith.");
    }
    requireString("$ref", document);
    if (at + 1 >= names.size() || !names.get(at + 1).equals("$id")) {
      throw new CommandException(
          ErrorCode.INVALID_DB_REF, "The DBRef $ref field must be followed by a $id field");
    }
  }

  private static void requireString(String name, BsonDocument reference) {
    var value = reference.get(name);
    if (!value.isString()) {
      throw new CommandException(
          ErrorCode.INVALID_DB_REF,
          "The DBRef " + name + " field must be a String, not a " + BsonText.typeName(value));
    }
  }

  private static void requireReference(boolean isComplete, String name, String missing) {
    if (!isComplete) {
      throw new CommandException(
          ErrorCode.INVALID_DB_REF,
          "Found " + name + " field without a " + missing + " before it, which is invalid.");
    }
  }
}
