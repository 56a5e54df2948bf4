package dev.orrery.value;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonJavaScriptWithScope;
import org.bson.BsonRegularExpression;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.types.Decimal128;
import org.bson.types.ObjectId;

/**
 * Objects of the bson library to raw bytes, in one growing array. Raw documents inside the tree are
 * copied as they are: a reply is written from stored bytes without decoding them.
 */
public final class BsonEncoder {
  /** Shorter texts are copied by hand: an array in between costs more. */
  private static final int SHORT_TEXT_MAX = 128;

  private static final int LONG_BYTES = 1 << 20;

  /** Documents in one another; expressions can make more of them than a stack has room for. */
  static final int LEVELS_MAX = 200;

  private byte[] buffer;
  private int position;
  private int level;
  private int levelsMax = 2 * LEVELS_MAX; // what surrounds a document, as replies do, counts too
  private int bytesMax = Integer.MAX_VALUE - 8;

  public BsonEncoder(int initialBytes) {
    this.buffer = new byte[Math.max(initialBytes, 16)];
  }

  /** Gives up what gets longer than that, with BsonTooLargeException. */
  public BsonEncoder limitedTo(int bytes) {
    bytesMax = bytes;
    return this;
  }

  public int length() {
    return position;
  }

  /** The array written so far; valid up to {@link #length()}, until the next write. */
  public byte[] buffer() {
    return buffer;
  }

  public byte[] toByteArray() {
    return Arrays.copyOf(buffer, position);
  }

  /** Forgets what was written after that length, and keeps the array for what comes next. */
  public void truncate(int length) {
    position = length;
    level = 0; // what was written last may have failed
  }

  /** Refuses what MongoDB refuses as a document. */
  BsonEncoder limited() {
    levelsMax = LEVELS_MAX;
    return this;
  }

  private void enter() {
    if (++level > levelsMax) {
      throw new NestingException(LEVELS_MAX);
    }
  }

  /** Opens a document or array body; the result goes to {@link #endDocument}. */
  public int startDocument() {
    int start = position;
    reserve(4);
    position += 4;
    return start;
  }

  public void endDocument(int start) {
    writeByte((byte) 0);
    LittleEndian.putInt32(buffer, start, position - start);
  }

  /** Writes the type and the name of an element, whose value must follow. */
  public void writeName(byte type, String name) {
    writeByte(type);
    writeCString(name);
  }

  public void writeElement(String name, BsonValue value) {
    writeName(RawTypes.of(value.getBsonType()), name);
    writeValue(value);
  }

  public void writeElement(String name, RawValue value) {
    writeName(value.type(), name);
    writeBytes(value.bytes(), value.offset(), value.length());
  }

  /** Copies all elements that stand between two places of another document. */
  public void writeElements(byte[] source, int from, int to) {
    writeBytes(source, from, to - from);
  }

  /** Copies an element as it stands in another document. */
  public void writeElement(RawElements element, byte[] source) {
    int start = element.nameOffset() - 1;
    writeBytes(source, start, element.valueOffset() + element.valueLength() - start);
  }

  public void writeDocument(BsonDocument document) {
    if (document instanceof RawBsonDocument raw) {
      writeBytes(raw.getBackingArray(), raw.getByteOffset(), raw.getByteLength());
      return;
    }
    enter();
    int start = startDocument();
    for (Map.Entry<String, BsonValue> entry : document.entrySet()) {
      writeElement(entry.getKey(), entry.getValue());
    }
    endDocument(start);
    level--;
  }

  public void writeDocument(RawDocument document) {
    writeBytes(document.bytes(), document.offset(), document.length());
  }

  /** Copies a document out of a buffer. */
  public void writeDocument(ByteBuffer source, int offset, int length) {
    reserve(length);
    source.get(offset, buffer, position, length);
    position += length;
  }

  private void writeArray(BsonArray array) {
    enter();
    int start = startDocument();
    for (int i = 0; i < array.size(); i++) {
      writeElement(ArrayIndexes.name(i), array.get(i));
    }
    endDocument(start);
    level--;
  }

  /** Writes a value without type and name. */
  public void writeValue(BsonValue value) {
    switch (value.getBsonType()) {
      case DOUBLE -> writeInt64(Double.doubleToRawLongBits(value.asDouble().getValue()));
      case STRING -> writeString(value.asString().getValue());
      case DOCUMENT -> writeDocument(value.asDocument());
      case ARRAY -> writeArray(value.asArray());
      case BINARY -> writeBinary(value.asBinary());
      case OBJECT_ID -> writeObjectId(value.asObjectId().getValue());
      case BOOLEAN -> writeByte((byte) (value.asBoolean().getValue() ? 1 : 0));
      case DATE_TIME -> writeInt64(value.asDateTime().getValue());
      case REGULAR_EXPRESSION -> writeRegex(value.asRegularExpression());
      case DB_POINTER -> {
        writeString(value.asDBPointer().getNamespace());
        writeObjectId(value.asDBPointer().getId());
      }
      case JAVASCRIPT -> writeString(value.asJavaScript().getCode());
      case SYMBOL -> writeString(value.asSymbol().getSymbol());
      case JAVASCRIPT_WITH_SCOPE -> writeCodeWithScope(value.asJavaScriptWithScope());
      case INT32 -> writeInt32(value.asInt32().getValue());
      case TIMESTAMP -> writeInt64(value.asTimestamp().getValue());
      case INT64 -> writeInt64(value.asInt64().getValue());
      case DECIMAL128 -> writeDecimal(value.asDecimal128().getValue());
      case UNDEFINED, NULL, MIN_KEY, MAX_KEY -> {} // the type says it all
      case END_OF_DOCUMENT -> throw new IllegalArgumentException("not a value");
    }
  }

  private void writeBinary(BsonBinary value) {
    byte[] data = value.getData();
    writeInt32(data.length);
    writeByte(value.getType());
    writeBytes(data, 0, data.length);
  }

  private void writeObjectId(ObjectId id) {
    byte[] data = id.toByteArray();
    writeBytes(data, 0, data.length);
  }

  private void writeRegex(BsonRegularExpression value) {
    writeCString(value.getPattern());
    writeCString(value.getOptions());
  }

  private void writeCodeWithScope(BsonJavaScriptWithScope value) {
    int start = position;
    writeInt32(0);
    writeString(value.getCode());
    writeDocument(value.getScope());
    LittleEndian.putInt32(buffer, start, position - start);
  }

  private void writeDecimal(Decimal128 value) {
    writeInt64(value.getLow());
    writeInt64(value.getHigh());
  }

  /** Writes the value of a string that consists of two and a character between them. */
  public void writeString(String first, char separator, String second) {
    int start = position;
    writeInt32(0);
    writeText(first);
    writeByte((byte) separator);
    writeText(second);
    writeByte((byte) 0);
    LittleEndian.putInt32(buffer, start, position - start - Integer.BYTES);
  }

  private void writeString(String value) {
    int start = position;
    writeInt32(0);
    writeText(value);
    writeByte((byte) 0);
    LittleEndian.putInt32(buffer, start, position - start - Integer.BYTES);
  }

  private void writeCString(String value) {
    writeText(value);
    writeByte((byte) 0);
  }

  private void writeText(String value) {
    int length = value.length();
    if (length > SHORT_TEXT_MAX) {
      byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
      writeBytes(utf8, 0, utf8.length);
      return;
    }
    reserve(length + 1);
    for (int i = 0; i < length; i++) {
      char c = value.charAt(i);
      if (c >= 0x80) { // not ASCII: encode properly what is left
        byte[] utf8 = value.substring(i).getBytes(StandardCharsets.UTF_8);
        writeBytes(utf8, 0, utf8.length);
        break;
      }
      buffer[position++] = (byte) c;
    }
  }

  private void writeByte(byte value) {
    reserve(1);
    buffer[position++] = value;
  }

  private void writeInt32(int value) {
    reserve(4);
    LittleEndian.putInt32(buffer, position, value);
    position += 4;
  }

  public void writeInt64(long value) {
    reserve(8);
    LittleEndian.putInt64(buffer, position, value);
    position += 8;
  }

  /** Writes elements that were encoded before. */
  public void writeElements(byte[] encoded) {
    writeBytes(encoded, 0, encoded.length);
  }

  private void writeBytes(byte[] source, int offset, int length) {
    reserve(length);
    System.arraycopy(source, offset, buffer, position, length);
    position += length;
  }

  private void reserve(int count) {
    int needed = Math.addExact(position, count);
    if (needed > buffer.length) {
      if (needed > bytesMax) {
        throw new BsonTooLargeException(needed);
      }
      buffer = Arrays.copyOf(buffer, grown(buffer.length, needed));
    }
  }

  /**
   * Short arrays are doubled. A long one is long for the sake of single values, as a rule: it gets
   * what is needed and a little for what follows, as twice as much may be more than the heap has.
   */
  private static int grown(int length, int needed) {
    long more = length < LONG_BYTES ? length * 2L : length + length / 4L;
    long enough = needed < LONG_BYTES ? needed : needed + needed / 32L;
    return Math.max(needed, (int) Math.min(Integer.MAX_VALUE - 8L, Math.max(more, enough)));
  }
}
