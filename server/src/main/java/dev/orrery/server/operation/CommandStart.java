package dev.orrery.server.operation;

import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonJavaScript;
import org.bson.BsonJavaScriptWithScope;
import org.bson.BsonString;
import org.bson.BsonSymbol;
import org.bson.BsonValue;

/**
 * The first elements of a long command, as objects, for a text that is cut anyway: all of it would
 * take many times the memory of its bytes, and all replies behind it wait for the text.
 */
final class CommandStart {
  /** Of a string or binary value; texts show less of them. */
  private static final int VALUE_BYTES_MAX = 4000;

  private int elementsLeft;

  private CommandStart(int elements) {
    this.elementsLeft = elements;
  }

  /**
   * So many elements, those inside of others counted, and what they are in. Every one is at least a
   * character of the text.
   *
   * @param omitted a field that is left out
   */
  static BsonDocument of(RawDocument command, int elements, String omitted) {
    return new CommandStart(elements).document(command, omitted);
  }

  /** The start of a value in the same way. */
  static BsonValue of(RawValue value, int elements) {
    return new CommandStart(elements).value(value);
  }

  private BsonDocument document(RawDocument raw, String omitted) {
    var document = new BsonDocument();
    RawElements elements = raw.elements();
    while (elementsLeft > 0 && elements.next()) {
      String name = elements.name();
      if (!name.equals(omitted)) {
        elementsLeft--;
        document.append(name, value(elements.value()));
      }
    }
    return document;
  }

  private BsonArray array(RawDocument raw) {
    var array = new BsonArray();
    RawElements elements = raw.elements();
    while (elementsLeft > 0 && elements.next()) {
      elementsLeft--;
      array.add(value(elements.value()));
    }
    return array;
  }

  private BsonValue value(RawValue value) {
    if (value.isDocument()) {
      return document(value.asDocument(), "");
    }
    if (value.isArray()) {
      return array(value.asDocument());
    }
    return value.length() <= VALUE_BYTES_MAX ? value.toBsonValue() : cut(value);
  }

  private BsonValue cut(RawValue value) {
    return switch (value.type()) {
      case RawTypes.STRING -> new BsonString(text(value));
      case RawTypes.SYMBOL -> new BsonSymbol(text(value));
      case RawTypes.CODE -> new BsonJavaScript(text(value));
      case RawTypes.CODE_WITH_SCOPE -> {
        int start = value.offset() + 8; // after two lengths
        int length = value.scope().offset() - 1 - start;
        String code = text(value.bytes(), start, Math.min(length, VALUE_BYTES_MAX));
        yield new BsonJavaScriptWithScope(code, document(value.scope(), ""));
      }
      case RawTypes.BINARY -> {
        int start = value.offset() + 5; // after its length and kind
        byte[] data = Arrays.copyOfRange(value.bytes(), start, start + VALUE_BYTES_MAX - 5);
        yield new BsonBinary(value.bytes()[start - 1], data);
      }
      default -> value.toBsonValue(); // a pattern or a name
    };
  }

  private static String text(RawValue value) {
    return text(value.bytes(), value.offset() + 4, VALUE_BYTES_MAX - 5); // it is longer than that
  }

  private static String text(byte[] bytes, int start, int length) {
    return new String(bytes, start, length, StandardCharsets.UTF_8);
  }
}
