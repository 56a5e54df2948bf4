package dev.orrery.storage.catalog;

import dev.orrery.value.KeyDecoder;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import org.bson.BsonValue;

/*
 * Keys forget the types of numbers, as 5 and 5.0 are equal and must be one key. But most fields
 * hold numbers of one type, so an index remembers of each field which one it met, in three bits:
 *
 *   NONE    no whole number yet (fractions, infinities and NaN are doubles in any state)
 *   WIDE    only longs that no int could hold
 *   INT     ints, and such longs
 *   LONG    longs
 *   DOUBLE  doubles
 *   MIXED   anything else: the field's keys cannot be read back
 *
 * States only ever move towards MIXED, and before the key is in the tree. Whoever reads an entry
 * first and the state then can trust the state.
 */

/**
 * Which types the numbers in each field of an index had, as far as they are needed to read the
 * values back from the keys alone.
 *
 * @param bits three for each of the first fields, the rest are zero
 */
public record NumberTypes(long bits) {
  /** Fields behind these are never read back. */
  public static final int FIELDS_MAX = 10;

  public static final NumberTypes NOTHING = new NumberTypes(0);

  /** What is assumed of an index that was never watched. */
  public static final NumberTypes UNKNOWN = new NumberTypes((1L << 3 * FIELDS_MAX) - 1);

  private static final int NONE = 0;
  private static final int WIDE = 1;
  private static final int INT = 2;
  private static final int LONG = 3;
  private static final int DOUBLE = 4;
  private static final int MIXED = 7;

  private static final byte[] AS_THEY_ARE = {};
  private static final byte[] AS_LONG = {1}; // KeyTypes.INT64
  private static final byte[] AS_DOUBLE = {2}; // KeyTypes.DOUBLE

  private int state(int field) {
    return (int) (bits >> 3 * field) & 7;
  }

  /** Whether the values of a field can be read back from its keys. */
  public boolean canRead(int field) {
    return field < FIELDS_MAX && state(field) != MIXED;
  }

  /** The value that a key holds; the key is that of one field, and it can be read. */
  public BsonValue read(int field, byte[] key, boolean isDescending) {
    byte[] types =
        switch (state(field)) {
          case LONG -> AS_LONG;
          case DOUBLE -> AS_DOUBLE;
          default -> AS_THEY_ARE;
        };
    return new KeyDecoder(key, types).next(isDescending);
  }

  /** These and what another index part or document added. */
  public NumberTypes with(NumberTypes other) {
    if (other.bits == 0 || other.bits == bits) {
      return this;
    }
    long joined = 0;
    for (int i = 0; i < FIELDS_MAX; i++) {
      joined |= (long) join(state(i), other.state(i)) << 3 * i;
    }
    return joined == bits ? this : new NumberTypes(joined);
  }

  /** Adds one value of a field to the bits of a document. */
  public static long add(long bits, int field, RawValue value) {
    int state = stateOf(value);
    if (state == NONE || field >= FIELDS_MAX) {
      return bits;
    }
    int before = (int) (bits >> 3 * field) & 7;
    return bits & ~(7L << 3 * field) | (long) join(before, state) << 3 * field;
  }

  private static int join(int left, int right) {
    if (left == right || right == NONE) {
      return left;
    }
    if (left == NONE) {
      return right;
    }
    if (left == WIDE && (right == INT || right == LONG)) {
      return right;
    }
    return right == WIDE && (left == INT || left == LONG) ? left : MIXED;
  }

  private static int stateOf(RawValue value) {
    return switch (value.type()) {
      case RawTypes.INT32 -> INT;
      case RawTypes.INT64 -> stateOf(value.asInt64());
      case RawTypes.DOUBLE -> stateOf(value.asDouble());
      case RawTypes.DECIMAL128, RawTypes.SYMBOL -> MIXED;
      case RawTypes.DOCUMENT, RawTypes.ARRAY -> ofNested(value);
      case RawTypes.CODE_WITH_SCOPE -> MIXED;
      default -> NONE;
    };
  }

  private static int stateOf(long value) {
    if (value == Long.MIN_VALUE) { // its key is that of a double
      return MIXED;
    }
    return (int) value == value ? LONG : WIDE;
  }

  private static int stateOf(double value) {
    boolean isWhole = value >= -0x1p63 && value < 0x1p63 && (long) value == value;
    if (!isWhole) {
      return NONE;
    }
    return value == 0 && 1 / value < 0 ? MIXED : DOUBLE;
  }

  /** Inside a document every number has the type that its key suggests, or all is lost. */
  private static int ofNested(RawValue value) {
    int state = NONE;
    var elements = value.asDocument().elements();
    while (elements.next()) {
      int inner = stateOf(elements.value());
      if (inner == NONE && elements.value().isNumber()) {
        inner = INT;
      }
      state = inner == LONG || inner == DOUBLE ? MIXED : join(state, inner);
    }
    return state == WIDE ? INT : state;
  }
}
