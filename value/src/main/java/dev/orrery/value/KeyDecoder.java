package dev.orrery.value;

import java.nio.charset.StandardCharsets;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDbPointer;
import org.bson.BsonDocument;
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
import org.bson.types.ObjectId;

/**
 * The values of a key, read back one after the other. With the {@link KeyTypes} of the key they are
 * exactly the original ones, but for the payload of NaNs; without them numbers have a common type.
 * Strings under a collation cannot be read back. Fields that were missing come back as null or
 * undefined, as they were encoded.
 */
public final class KeyDecoder {
  private final KeySource key;
  private final KeySource types;

  public KeyDecoder(byte[] key, byte[] types) {
    this.key = new KeySource(key);
    this.types = new KeySource(types);
  }

  public boolean hasNext() {
    return key.hasNext();
  }

  /** The next value, which was appended in that direction. */
  public BsonValue next(boolean isDescending) {
    key.complement(isDescending);
    return read();
  }

  private BsonValue read() {
    int lead = key.readByte();
    if (lead >= NumberKeys.NAN && lead <= NumberKeys.POSITIVE_LARGE) {
      return NumberDecoder.read(lead, key, types);
    }
    return switch (lead) {
      case KeyEncoder.MIN_KEY -> new BsonMinKey();
      case KeyEncoder.UNDEFINED -> new BsonUndefined();
      case KeyEncoder.NULL -> BsonNull.VALUE;
      case KeyEncoder.STRING -> readString();
      case KeyEncoder.DOCUMENT -> readDocument();
      case KeyEncoder.ARRAY -> readArray();
      case KeyEncoder.BINARY -> readBinary();
      case KeyEncoder.OBJECT_ID -> new BsonObjectId(new ObjectId(key.readBytes(12)));
      case KeyEncoder.FALSE -> BsonBoolean.FALSE;
      case KeyEncoder.TRUE -> BsonBoolean.TRUE;
      case KeyEncoder.DATE -> new BsonDateTime(key.readNumber(8) ^ Long.MIN_VALUE);
      case KeyEncoder.TIMESTAMP -> new BsonTimestamp(key.readNumber(8));
      case KeyEncoder.REGEX -> new BsonRegularExpression(key.readName(), key.readName());
      case KeyEncoder.DB_POINTER -> readPointer();
      case KeyEncoder.CODE -> new BsonJavaScript(key.readText());
      case KeyEncoder.CODE_WITH_SCOPE ->
          new BsonJavaScriptWithScope(key.readText(), readDocument());
      case KeyEncoder.MAX_KEY -> new BsonMaxKey();
      default -> throw new IllegalArgumentException("not a key: lead byte " + lead);
    };
  }

  private BsonValue readString() {
    String text = key.readText();
    return types.readByte() == KeyTypes.SYMBOL ? new BsonSymbol(text) : new BsonString(text);
  }

  private BsonDocument readDocument() {
    var document = new BsonDocument();
    while (key.readByte() != KeyEncoder.END) { // else the bracket, which the value repeats
      document.append(key.readName(), read());
    }
    return document;
  }

  private BsonArray readArray() {
    var array = new BsonArray();
    while (key.peekByte() != KeyEncoder.END) {
      array.add(read());
    }
    key.readByte();
    return array;
  }

  private BsonBinary readBinary() {
    int length = readLength();
    byte subType = (byte) key.readByte();
    return new BsonBinary(subType, key.readBytes(length));
  }

  private BsonDbPointer readPointer() {
    byte[] namespace = key.readBytes(readLength());
    return new BsonDbPointer(
        new String(namespace, 0, namespace.length - 1, StandardCharsets.UTF_8),
        new ObjectId(key.readBytes(12)));
  }

  private int readLength() {
    int length = key.readByte();
    return length <= KeyEncoder.SHORT_BINARY_MAX ? length : (int) key.readNumber(4);
  }

  /** Bytes to read from, as they are or complemented; after the end there are zeros. */
  static final class KeySource {
    private final byte[] bytes;
    private int position;
    private int mask;

    KeySource(byte[] bytes) {
      this.bytes = bytes;
    }

    boolean hasNext() {
      return position < bytes.length;
    }

    void complement(boolean isComplemented) {
      mask = isComplemented ? 0xFF : 0;
    }

    /** Complements what was not, and the other way round: the bodies of negative numbers. */
    void turn() {
      mask ^= 0xFF;
    }

    int peekByte() {
      return position < bytes.length ? (bytes[position] ^ mask) & 0xFF : 0;
    }

    int readByte() {
      int value = peekByte();
      position++;
      return value;
    }

    long readNumber(int count) {
      long value = 0;
      for (int i = 0; i < count; i++) {
        value = value << 8 | readByte();
      }
      return value;
    }

    byte[] readBytes(int count) {
      byte[] result = new byte[count];
      for (int i = 0; i < count; i++) {
        result[i] = (byte) readByte();
      }
      return result;
    }

    String readText() {
      byte[] text = new byte[bytes.length - position];
      int length = 0;
      for (int b = readByte(); b != KeyBuffer.TERMINATOR; b = readByte()) {
        text[length++] = (byte) (b == KeyBuffer.ESCAPE ? readByte() - 1 : b);
      }
      return new String(text, 0, length, StandardCharsets.UTF_8);
    }

    String readName() {
      int length = 0;
      while (((bytes[position + length] ^ mask) & 0xFF) != 0) {
        length++;
      }
      String name = new String(readBytes(length), StandardCharsets.UTF_8);
      position++;
      return name;
    }
  }
}
