package dev.orrery.storage.index;

import dev.orrery.value.BsonNumbers;
import dev.orrery.value.CanonicalTypes;
import dev.orrery.value.LittleEndian;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import dev.orrery.value.StringOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * MongoDB's 64-bit hash of a value: the first eight bytes of an MD5 over a seed, the bracket of the
 * type and the value, where numbers count as longs without their fraction.
 */
public final class MongoHash {
  private static final int SEED = 0;

  private final MessageDigest digest;
  private final boolean isForIndex;
  private final StringOrder strings;

  private MongoHash(boolean isForIndex, StringOrder strings) {
    try {
      this.digest = MessageDigest.getInstance("MD5");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has MD5", e);
    }
    this.isForIndex = isForIndex;
    this.strings = strings;
  }

  /** Exactly what MongoDB's {@code $toHashedIndexKey} answers. */
  public static long of(RawValue value) {
    return new MongoHash(false, StringOrder.UTF8).hash(value);
  }

  /**
   * The hash under which an index keeps a value. It is MongoDB's, but for the few numbers that it
   * hashes differently from an equal number of another type (2^63, and Decimal128 with a fraction
   * of a half or more): a lookup by an equal value must find them. Of strings the sort key is
   * hashed.
   */
  public static long forIndex(RawValue value, StringOrder strings) {
    return new MongoHash(true, strings).hash(value);
  }

  private long hash(RawValue value) {
    addInt32(SEED);
    add(value);
    return LittleEndian.int64(digest.digest(), 0);
  }

  private void add(RawValue value) {
    addInt32(CanonicalTypes.of(value.type()));
    addContent(value);
  }

  private void addContent(RawValue value) {
    if (value.isNumber()) {
      addInt64(isForIndex ? BsonNumbers.truncatedLong(value) : BsonNumbers.mongoHashedLong(value));
    } else if (value.isDocument() || value.isArray()) {
      addElements(value.asDocument());
    } else if (value.type() == RawTypes.CODE_WITH_SCOPE) {
      int codeLength = LittleEndian.int32(value.bytes(), value.offset() + 4);
      digest.update(value.bytes(), value.offset() + 8, codeLength);
      addElements(value.scope());
    } else if (strings != StringOrder.UTF8
        && CanonicalTypes.of(value.type()) == CanonicalTypes.STRING) {
      byte[] sortKey = strings.sortKey(value.asString());
      addInt32(sortKey.length + 1);
      digest.update(sortKey);
      digest.update((byte) 0);
    } else {
      digest.update(value.bytes(), value.offset(), value.length());
    }
  }

  private void addElements(RawDocument document) {
    var elements = document.elements();
    while (elements.next()) {
      addInt32(CanonicalTypes.of(elements.type()));
      digest.update(document.bytes(), elements.nameOffset(), elements.nameLength() + 1);
      addContent(elements.value());
    }
    addInt32(CanonicalTypes.UNDEFINED); // the end of the document counts as an element
  }

  private void addInt32(int value) {
    byte[] bytes = new byte[4];
    LittleEndian.putInt32(bytes, 0, value);
    digest.update(bytes);
  }

  private void addInt64(long value) {
    byte[] bytes = new byte[8];
    LittleEndian.putInt64(bytes, 0, value);
    digest.update(bytes);
  }
}
