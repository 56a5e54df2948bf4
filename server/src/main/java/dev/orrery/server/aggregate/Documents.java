package dev.orrery.server.aggregate;

import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import dev.orrery.server.limit.Allowance;
import dev.orrery.storage.value.NestingException;
import dev.orrery.storage.value.RawDocument;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;

/** Encoding, measuring and changing documents that others may share. */
final class Documents {
  private static final int OBJECT_BYTES = 48;
  private static final int FIELD_BYTES = 64;

  private Documents() {}

  /** The bytes of a document; one that came from storage untouched keeps its own. */
  static RawDocument encode(BsonDocument document) {
    if (document instanceof RawBsonDocument raw) {
      var buffer = raw.getByteBuffer();
      return RawDocument.wrap(buffer.array(), buffer.position(), buffer.remaining());
    }
    try {
      return RawDocument.of(document);
    } catch (NestingException e) {
      throw new CommandException(ErrorCode.OVERFLOW, e.getMessage());
    }
  }

  /** Roughly how many bytes of heap a value takes. */
  static long heapBytes(@Nullable BsonValue value) {
    if (value == null) {
      return 0;
    }
    return switch (value.getBsonType()) {
      case STRING -> OBJECT_BYTES + 2L * value.asString().getValue().length();
      case BINARY -> OBJECT_BYTES + value.asBinary().getData().length;
      case ARRAY -> heapBytes(value.asArray());
      case DOCUMENT -> heapBytes(value.asDocument());
      default -> OBJECT_BYTES / 2;
    };
  }

  private static long heapBytes(BsonArray array) {
    long bytes = OBJECT_BYTES;
    Allowance.current().steps(array.size()); // the same value may be there often
    for (BsonValue element : array) {
      bytes += 8 + heapBytes(element);
    }
    return bytes;
  }

  private static long heapBytes(BsonDocument document) {
    if (document instanceof RawBsonDocument raw) {
      return OBJECT_BYTES + raw.getByteBuffer().remaining();
    }
    Allowance.current().steps(document.size());
    long bytes = 2L * OBJECT_BYTES;
    for (var field : document.entrySet()) {
      bytes += FIELD_BYTES + heapBytes(field.getValue());
    }
    return bytes;
  }

  /** The first name of a dotted path. */
  static String head(String path) {
    int dot = path.indexOf('.');
    return dot < 0 ? path : path.substring(0, dot);
  }

  /** Whether one path is the other, or leads into it. */
  static boolean overlap(String path, String other) {
    return path.equals(other) || path.startsWith(other + ".") || other.startsWith(path + ".");
  }

  /** The value at a path that goes through documents only; null if it is missing. */
  static @Nullable BsonValue at(BsonDocument document, List<String> path) {
    BsonValue value = document;
    for (String name : path) {
      if (!(value instanceof BsonDocument fields)) {
        return null;
      }
      value = fields.get(name);
      if (value == null) {
        return null;
      }
    }
    return value;
  }

  /** A copy with another value at a path; documents on the way come into being, null removes. */
  static BsonDocument with(BsonDocument document, List<String> path, @Nullable BsonValue value) {
    var copy = new BsonDocument();
    copy.putAll(document);
    String name = path.get(0);
    if (path.size() == 1) {
      if (value == null) {
        copy.remove(name);
      } else {
        copy.put(name, value);
      }
      return copy;
    }
    BsonValue inner = copy.get(name);
    if (value == null && !(inner instanceof BsonDocument)) {
      return copy;
    }
    var below = inner instanceof BsonDocument fields ? fields : new BsonDocument();
    copy.put(name, with(below, path.subList(1, path.size()), value));
    return copy;
  }
}
