package dev.orrery.language.aggregate.stage;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.expression.ValueSize;
import dev.orrery.language.expression.Work;
import dev.orrery.value.NestingException;
import dev.orrery.value.RawDocument;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;

/** Encoding, measuring and changing documents that others may share. */
public final class Documents {
  private Documents() {}

  /** The bytes of a document; one that came from storage untouched keeps its own. */
  public static RawDocument encode(BsonDocument document) {
    return encode(document, RawDocument.BYTES_MAX);
  }

  /** The same for a result, which is given up when it is more than twice as long as it may be. */
  public static RawDocument encodeResult(BsonDocument document, int bytesMax) {
    return encode(document, 2 * bytesMax);
  }

  private static RawDocument encode(BsonDocument document, int bytesMax) {
    if (document instanceof RawBsonDocument raw) {
      var buffer = raw.getByteBuffer();
      return RawDocument.wrap(buffer.array(), buffer.position(), buffer.remaining());
    }
    try {
      RawDocument encoded = RawDocument.of(document, bytesMax);
      Work.countBytes(encoded.length());
      return encoded;
    } catch (NestingException e) {
      throw new CommandException(ErrorCode.OVERFLOW, e.getMessage());
    }
  }

  /** Roughly how many bytes of heap a value takes. */
  public static long heapBytes(@Nullable BsonValue value) {
    return ValueSize.heapBytes(value);
  }

  /** The first name of a dotted path. */
  public static String head(String path) {
    int dot = path.indexOf('.');
    return dot < 0 ? path : path.substring(0, dot);
  }

  /** Whether one path is the other, or leads into it. */
  public static boolean overlap(String path, String other) {
    return path.equals(other) || path.startsWith(other + ".") || other.startsWith(path + ".");
  }

  /** The value at a path that goes through documents only; null if it is missing. */
  public static @Nullable BsonValue at(BsonDocument document, List<String> path) {
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
  public static BsonDocument with(
      BsonDocument document, List<String> path, @Nullable BsonValue value) {
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
