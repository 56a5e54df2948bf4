package dev.orrery.storage.catalog;

import dev.orrery.value.RawDocument;
import java.util.Objects;

/** A document that an index cannot take. */
public final class IndexKeyException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Why there are no keys for the document. */
  public enum Reason {
    /** Two fields of a compound index hold different arrays; MongoDB's code 171. */
    PARALLEL_ARRAYS,
    /** A part of the path is a position and, in an element, also a name; MongoDB's code 16746. */
    AMBIGUOUS_FIELD,
    /** A hashed index met an array; MongoDB's code 16766. */
    HASHED_ARRAY,
    /** What words or shapes make keys refused it; the cause has their reason. */
    SPECIAL,
    /** The values and arrays of a document make more keys than an index takes of one. */
    TOO_MANY_KEYS
  }

  private final Reason reason;
  private final transient RawDocument array;

  private IndexKeyException(Reason reason, String message, RawDocument array) {
    super(message);
    this.reason = Objects.requireNonNull(reason);
    this.array = array;
  }

  public static IndexKeyException parallelArrays(String second, String first) {
    return new IndexKeyException(
        Reason.PARALLEL_ARRAYS,
        "cannot index parallel arrays [" + second + "] [" + first + "]",
        null);
  }

  public static IndexKeyException ambiguousField(String name, RawDocument array) {
    return new IndexKeyException(
        Reason.AMBIGUOUS_FIELD,
        "Ambiguous field name found in array (do not use numeric field names in embedded elements"
            + " in an array), field: '"
            + name
            + "' for array: ",
        array);
  }

  public static IndexKeyException hashedArray(String path) {
    return new IndexKeyException(
        Reason.HASHED_ARRAY,
        "Error: hashed indexes do not currently support array values. Found array at path: " + path,
        null);
  }

  public static IndexKeyException special(RuntimeException cause) {
    var problem = new IndexKeyException(Reason.SPECIAL, cause.getMessage(), null);
    problem.initCause(cause);
    return problem;
  }

  public static IndexKeyException tooManyKeys(int most) {
    return new IndexKeyException(
        Reason.TOO_MANY_KEYS, "document has more than " + most + " keys in one index", null);
  }

  public Reason reason() {
    return reason;
  }

  /** The array whose text ends the message of an ambiguous field; null for other reasons. */
  public RawDocument array() {
    return array;
  }
}
