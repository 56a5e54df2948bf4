package dev.orrery.language.expression;

import dev.orrery.language.limit.Allowance;
import dev.orrery.language.number.Numbers;
import dev.orrery.value.BsonOrder;
import dev.orrery.value.RawDocument;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonType;
import org.bson.BsonValue;

/**
 * The hash that MongoDB's hashed indexes store: the first eight bytes of an MD5 digest over a seed
 * of zero, the bracket of the type and the value. Numbers that have the same whole part hash alike.
 */
public final class HashedKey {
  /** Length of the field name's terminator and of the type byte before a value. */
  private static final int ELEMENT_HEAD_BYTES = 2;

  private final MessageDigest digest = md5();
  private final Allowance allowance = Allowance.current();

  private HashedKey() {}

  public static long of(BsonValue value) {
    var key = new HashedKey();
    key.addInt(0);
    key.addInt(BsonOrder.canonicalType(value));
    key.addValue(value);
    return ByteBuffer.wrap(key.digest.digest()).order(ByteOrder.LITTLE_ENDIAN).getLong();
  }

  private static MessageDigest md5() {
    try {
      return MessageDigest.getInstance("MD5");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has MD5", e);
    }
  }

  private void addInt(int value) {
    digest.update(ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(value).array());
  }

  private void addText(String text) {
    Work.countBytes(text.length());
    digest.update(text.getBytes(StandardCharsets.UTF_8));
    digest.update((byte) 0);
  }

  private void addField(String name, BsonValue value) {
    allowance.step();
    addInt(BsonOrder.canonicalType(value));
    addText(name);
    addValue(value);
  }

  private void addValue(BsonValue value) {
    if (Numbers.isNumber(value)) {
      digest.update(
          ByteBuffer.allocate(8)
              .order(ByteOrder.LITTLE_ENDIAN)
              .putLong(Numbers.toLong(value))
              .array());
    } else if (value.isDocument()) {
      addFields(value.asDocument());
    } else if (value.isArray()) {
      for (int i = 0; i < value.asArray().size(); i++) {
        addField(Integer.toString(i), value.asArray().get(i));
      }
      addInt(0);
    } else if (value.getBsonType() == BsonType.JAVASCRIPT_WITH_SCOPE) {
      addText(value.asJavaScriptWithScope().getCode());
      addFields(value.asJavaScriptWithScope().getScope());
    } else {
      RawDocument wrapped = RawDocument.of(new BsonDocument("", value));
      Work.countBytes(wrapped.length());
      int start = wrapped.offset() + 4 + ELEMENT_HEAD_BYTES;
      digest.update(wrapped.bytes(), start, wrapped.length() - 4 - ELEMENT_HEAD_BYTES - 1);
    }
  }

  private void addFields(BsonDocument document) {
    for (Map.Entry<String, BsonValue> field : document.entrySet()) {
      addField(field.getKey(), field.getValue());
    }
    addInt(0);
  }
}
