package dev.orrery.value;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;

/**
 * How long values will be once they are encoded. Of documents that are bytes already the length is
 * known, so that to ask for that of a reply, which is mostly made of such, costs next to nothing.
 */
public final class BsonLength {
  /** A length before the elements, and a zero behind them. */
  private static final int FRAME_BYTES = 5;

  private static final int VALUE_BYTES_EXPECTED = 64;

  private final BsonEncoder scratch = new BsonEncoder(VALUE_BYTES_EXPECTED);

  private BsonLength() {}

  /** The bytes of a document; as many as there are, also when that is more than may be. */
  public static long of(BsonDocument document) {
    return new BsonLength().document(document);
  }

  private long document(BsonDocument document) {
    if (document instanceof RawBsonDocument raw) {
      return raw.getByteLength();
    }
    long bytes = FRAME_BYTES;
    for (Map.Entry<String, BsonValue> field : document.entrySet()) {
      bytes += 2 + text(field.getKey()) + value(field.getValue());
    }
    return bytes;
  }

  private long array(BsonArray array) {
    long bytes = FRAME_BYTES;
    int digits = 1;
    int next = 10;
    for (int i = 0; i < array.size(); i++) {
      if (i == next) {
        digits++;
        next = (int) Math.min(Integer.MAX_VALUE, 10L * next);
      }
      bytes += 2 + digits + value(array.get(i));
    }
    return bytes;
  }

  private long value(BsonValue value) {
    return switch (value.getBsonType()) {
      case DOCUMENT -> document(value.asDocument());
      case ARRAY -> array(value.asArray());
      case BINARY -> FRAME_BYTES + value.asBinary().getData().length;
      case STRING -> Integer.BYTES + text(value.asString().getValue()) + 1;
      default -> {
        scratch.truncate(0);
        scratch.writeValue(value);
        yield scratch.length();
      }
    };
  }

  private static long text(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) >= 0x80) {
        return text.getBytes(StandardCharsets.UTF_8).length;
      }
    }
    return text.length();
  }
}
