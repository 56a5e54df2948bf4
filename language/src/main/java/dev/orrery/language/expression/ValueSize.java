package dev.orrery.language.expression;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;

/** How much memory values take, and how much those may take that an expression makes. */
public final class ValueSize {
  private static final int OBJECT_BYTES = 48;
  private static final int FIELD_BYTES = 64;
  private static final int REFERENCE_BYTES = 8;

  /** What an element takes in a sorted set, beside itself. */
  static final long SORTED_BYTES = 64;

  /** Of how many elements the size is looked at when all would take too long. */
  private static final int SAMPLES = 16;

  /** Values of fewer elements or characters are large only if their first element is. */
  private static final int LARGE_ELEMENTS = 1024;

  private static final int LARGE_CHARACTERS = 32 << 10;

  /** As long as MongoDB's buffers. */
  private static final int TEXT_BYTES_MAX = 64 << 20;

  private ValueSize() {}

  /** Roughly how many bytes of heap a value takes. */
  public static long heapBytes(@Nullable BsonValue value) {
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
      bytes += REFERENCE_BYTES + heapBytes(element);
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

  /** The same at a glance: what some of the elements of an array take is taken for all. */
  static long roughBytes(@Nullable BsonValue value) {
    return roughBytes(value, SAMPLES);
  }

  private static long roughBytes(@Nullable BsonValue value, int samples) {
    if (value instanceof BsonArray array) {
      return shellBytes(array) + sampled(array, array.size(), samples);
    }
    if (value != null && value.getClass() == BsonDocument.class) {
      var document = (BsonDocument) value;
      return shellBytes(document) + sampled(document.values(), document.size(), samples);
    }
    return heapBytes(value);
  }

  /** The first elements of documents, and some from everywhere of arrays. */
  private static long sampled(Collection<BsonValue> values, int size, int samples) {
    if (size == 0) {
      return 0;
    }
    int count = Math.min(size, samples);
    int fewer = Math.max(1, samples / 4);
    long bytes = 0;
    boolean isOneValue = size > 1;
    BsonValue before = null;
    Iterator<BsonValue> each = values.iterator();
    for (int i = 0; i < count; i++) {
      boolean isList = values instanceof BsonArray;
      BsonValue value =
          isList ? ((BsonArray) values).get((int) ((long) i * size / count)) : each.next();
      isOneValue &= before == null || before == value;
      bytes += roughBytes(value, fewer);
      before = value;
    }
    return isOneValue ? bytes / count : bytes * size / count;
  }

  /** What an array or a document takes beside its elements. */
  static long shellBytes(@Nullable BsonValue value) {
    if (value instanceof BsonArray array) {
      return OBJECT_BYTES + (long) REFERENCE_BYTES * array.size();
    }
    return value instanceof BsonDocument document
        ? 2L * OBJECT_BYTES + (long) FIELD_BYTES * document.size()
        : OBJECT_BYTES;
  }

  /**
   * Holds the value of an operand while an operator works with it, if it is large and was made for
   * this; what it holds, which is to be released.
   */
  static long hold(Expression operand, @Nullable BsonValue value, Allowance allowance) {
    if (!isLarge(value) || operand instanceof Constant || operand instanceof PathExpression) {
      return 0; // others have it
    }
    long bytes = roughBytes(value);
    allowance.hold(bytes);
    return bytes;
  }

  private static boolean isLarge(@Nullable BsonValue value) {
    if (value instanceof BsonArray array) {
      return array.size() >= LARGE_ELEMENTS || (!array.isEmpty() && isLarge(array.get(0)));
    }
    if (value instanceof BsonString text) {
      return text.getValue().length() >= LARGE_CHARACTERS;
    }
    return value != null
        && value.getClass() == BsonDocument.class
        && ((BsonDocument) value).size() >= LARGE_ELEMENTS;
  }

  /** Holds an array of so many elements of some size before it is made; what is to be released. */
  static long holdArray(long elements, int bytesEach, Allowance allowance) {
    long bytes = elements * (REFERENCE_BYTES + bytesEach);
    if (Allowance.isSmall(bytes)) {
      return 0;
    }
    allowance.hold(bytes);
    return bytes;
  }

  /** Throws unless there may be a text of so many characters, and there is memory for it. */
  static void requireText(long characters) {
    if (characters > TEXT_BYTES_MAX) {
      throw new CommandException(
          ErrorCode.LOCATION_13548,
          "BufBuilder attempted to grow() to " + characters + " bytes, past the 64MB limit.");
    }
    Allowance.current().fit(2 * characters);
  }

  /** Throws unless there is memory for an array of so many elements of some size. */
  static void requireArray(long elements, int bytesEach) {
    Allowance.current().fit(elements * (REFERENCE_BYTES + bytesEach));
  }

  /**
   * An array that is being made of computed elements: they are held until it is complete. A large
   * value that comes again and again, such as that of a variable, is there once.
   */
  static final class Growing implements AutoCloseable {
    private static final long STEP_BYTES = 64 << 10;
    private static final int LARGE_SIZE = 64;
    private static final int LARGE_LENGTH = 512;
    private static final int KNOWN_MAX = 32;

    private final Allowance allowance;
    private @Nullable Set<Object> known;
    private @Nullable BsonValue last;
    private long bytes;
    private long held;

    Growing(Allowance allowance) {
      this.allowance = allowance;
    }

    void add(BsonValue element) {
      bytes += REFERENCE_BYTES + (element == last ? 0 : measure(element));
      last = element;
      if (bytes - held > STEP_BYTES) {
        allowance.hold(bytes - held);
        held = bytes;
      }
    }

    private long measure(BsonValue value) {
      if (value instanceof BsonString text) {
        boolean isLarge = text.getValue().length() > LARGE_LENGTH;
        return isLarge && isKnown(text.getValue()) ? 0 : heapBytes(value);
      }
      if (value instanceof BsonArray array) {
        return array.size() > LARGE_SIZE && isKnown(value) ? 0 : measureAll(array, 0);
      }
      if (value.getClass() == BsonDocument.class) {
        var document = (BsonDocument) value;
        boolean isLarge = document.size() > LARGE_SIZE;
        return isLarge && isKnown(value) ? 0 : measureAll(document.values(), FIELD_BYTES);
      }
      return heapBytes(value);
    }

    private long measureAll(Collection<BsonValue> values, int bytesEach) {
      long sum = 2L * OBJECT_BYTES;
      allowance.steps(values.size());
      for (BsonValue value : values) {
        sum += REFERENCE_BYTES + bytesEach + measure(value);
      }
      return sum;
    }

    private boolean isKnown(Object value) {
      if (known == null) {
        known = Collections.newSetFromMap(new IdentityHashMap<>());
      }
      return known.contains(value) || (known.size() < KNOWN_MAX && !known.add(value));
    }

    /** From now on whoever keeps the array counts it. */
    @Override
    public void close() {
      if (held > 0) {
        allowance.release(held);
      }
    }
  }
}
