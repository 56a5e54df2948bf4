package dev.orrery.value;

import java.util.Arrays;
import java.util.function.IntConsumer;

/** {@link BsonOrder} on raw bytes. */
final class RawOrder {
  private final StringOrder strings;
  private final IntConsumer watch;

  RawOrder(StringOrder strings, IntConsumer watch) {
    this.strings = strings;
    this.watch = watch;
  }

  int compare(RawValue left, RawValue right) {
    if (left.type() != right.type()) {
      int bracket = CanonicalTypes.of(left.type());
      int difference = bracket - CanonicalTypes.of(right.type());
      return difference != 0 ? difference : compareWithin(bracket, left, right);
    }
    switch (left.type()) {
      case RawTypes.INT32:
        return Integer.compare(left.asInt32(), right.asInt32());
      case RawTypes.INT64:
        return Long.compare(left.asInt64(), right.asInt64());
      case RawTypes.DOUBLE:
        return NumberOrder.compare(left.asDouble(), right.asDouble());
      default:
        return compareWithin(CanonicalTypes.of(left.type()), left, right);
    }
  }

  private int compareWithin(int bracket, RawValue left, RawValue right) {
    switch (bracket) {
      case CanonicalTypes.MIN_KEY:
      case CanonicalTypes.UNDEFINED:
      case CanonicalTypes.NULL:
      case CanonicalTypes.MAX_KEY:
        return 0;
      case CanonicalTypes.NUMBER:
        return NumberOrder.compare(left, right);
      case CanonicalTypes.STRING:
        tell(left, right);
        return strings == StringOrder.UTF8
            ? compareText(left, right, 0)
            : strings.compare(left.asString(), right.asString());
      case CanonicalTypes.DOCUMENT:
        tell(left, right);
        return compareDocuments(left.asDocument(), right.asDocument());
      case CanonicalTypes.ARRAY:
        tell(left, right);
        return compareArrays(left.asDocument(), right.asDocument());
      case CanonicalTypes.BINARY:
        tell(left, right);
        return compareBinaries(left, right);
      case CanonicalTypes.OBJECT_ID:
        return compareBytes(left, right);
      case CanonicalTypes.BOOLEAN:
        return Boolean.compare(left.asBoolean(), right.asBoolean());
      case CanonicalTypes.DATE:
        return Long.compare(left.asInt64(), right.asInt64());
      case CanonicalTypes.TIMESTAMP:
        return Long.compareUnsigned(left.asInt64(), right.asInt64());
      case CanonicalTypes.REGEX: // the terminators make a shorter pattern come first
        return compareBytes(left, right);
      case CanonicalTypes.DB_POINTER:
        return left.length() != right.length()
            ? Integer.compare(left.length(), right.length())
            : compareBytes(left, right);
      case CanonicalTypes.CODE:
        return compareText(left, right, 0);
      case CanonicalTypes.CODE_WITH_SCOPE:
        return compareScoped(left, right);
      default:
        throw new IllegalArgumentException("not a bracket: " + bracket);
    }
  }

  /** What is inside counts once more: a comparison gets through a large value in a few looks. */
  private void tell(RawValue left, RawValue right) {
    BsonOrder.tell(watch, Math.min(left.length(), right.length()));
  }

  int compareDocuments(RawDocument left, RawDocument right) {
    var l = left.elements();
    var r = right.elements();
    while (true) {
      boolean hasLeft = l.next();
      boolean hasRight = r.next();
      if (!hasLeft || !hasRight) {
        return Boolean.compare(hasLeft, hasRight);
      }
      int difference = CanonicalTypes.of(l.type()) - CanonicalTypes.of(r.type());
      if (difference == 0) {
        difference = compareNames(left.bytes(), l, right.bytes(), r);
      }
      if (difference == 0) {
        difference = compare(l.value(), r.value());
      }
      if (difference != 0) {
        return difference;
      }
    }
  }

  private static int compareNames(byte[] left, RawElements l, byte[] right, RawElements r) {
    return Arrays.compareUnsigned(
        left,
        l.nameOffset(),
        l.nameOffset() + l.nameLength(),
        right,
        r.nameOffset(),
        r.nameOffset() + r.nameLength());
  }

  private int compareArrays(RawDocument left, RawDocument right) {
    var l = left.elements();
    var r = right.elements();
    while (true) {
      boolean hasLeft = l.next();
      boolean hasRight = r.next();
      if (!hasLeft || !hasRight) {
        return Boolean.compare(hasLeft, hasRight);
      }
      int difference = compare(l.value(), r.value());
      if (difference != 0) {
        return difference;
      }
    }
  }

  /** By length, then subtype, then content: the subtype is the byte after the length. */
  private static int compareBinaries(RawValue left, RawValue right) {
    int difference = Integer.compare(left.asInt32(), right.asInt32());
    return difference != 0
        ? difference
        : Arrays.compareUnsigned(
            left.bytes(),
            left.offset() + 4,
            left.offset() + left.length(),
            right.bytes(),
            right.offset() + 4,
            right.offset() + right.length());
  }

  private static int compareScoped(RawValue left, RawValue right) {
    int difference = compareText(left, right, 4);
    return difference != 0
        ? difference
        : BsonOrder.CANONICAL.compare(left.scope(), right.scope()); // no collation in a scope
  }

  /** Compares strings whose length field stands {@code skip} bytes into the value. */
  private static int compareText(RawValue left, RawValue right, int skip) {
    int l = left.offset() + skip;
    int r = right.offset() + skip;
    return Arrays.compareUnsigned(
        left.bytes(),
        l + 4,
        l + 3 + LittleEndian.int32(left.bytes(), l),
        right.bytes(),
        r + 4,
        r + 3 + LittleEndian.int32(right.bytes(), r));
  }

  private static int compareBytes(RawValue left, RawValue right) {
    return Arrays.compareUnsigned(
        left.bytes(),
        left.offset(),
        left.offset() + left.length(),
        right.bytes(),
        right.offset(),
        right.offset() + right.length());
  }
}
