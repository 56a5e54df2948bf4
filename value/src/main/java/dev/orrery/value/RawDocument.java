package dev.orrery.value;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * A BSON document (or array) as a slice of a byte array: what comes in from the wire, lies in the
 * log and goes out again. Fields are found by scanning; nothing is decoded until it is asked for.
 * The bytes are valid BSON and are never changed.
 */
public final class RawDocument {
  /** As many bytes as the largest list of a stage may take; nobody stores so much. */
  public static final int BYTES_MAX = 128 << 20;

  /** The document without fields. */
  public static final RawDocument EMPTY = new RawDocument(new byte[] {5, 0, 0, 0, 0}, 0, 5);

  private final byte[] bytes;
  private final int offset;
  private final int length;

  private RawDocument(byte[] bytes, int offset, int length) {
    this.bytes = bytes;
    this.offset = offset;
    this.length = length;
  }

  /** A view of bytes that were validated before; no copy. */
  public static RawDocument wrap(byte[] bytes, int offset, int length) {
    return new RawDocument(bytes, offset, length);
  }

  public static RawDocument wrap(byte[] bytes) {
    return new RawDocument(bytes, 0, bytes.length);
  }

  public static RawDocument of(BsonDocument document) {
    return of(document, BYTES_MAX);
  }

  /**
   * The same, for what must not be longer than that.
   *
   * @throws BsonTooLargeException if it is much longer; a little longer it may be
   */
  public static RawDocument of(BsonDocument document, int bytesMax) {
    if (document instanceof RawBsonDocument raw) {
      var slice = raw.getByteBuffer().asNIO();
      byte[] copy = new byte[slice.remaining()];
      slice.get(copy);
      return wrap(copy);
    }
    var encoder = new BsonEncoder(256).limited().limitedTo(bytesMax);
    encoder.writeDocument(document);
    return wrap(encoder.toByteArray());
  }

  public byte[] bytes() {
    return bytes;
  }

  public int offset() {
    return offset;
  }

  /** The size in bytes, as BSON counts it. */
  public int length() {
    return length;
  }

  public boolean isEmpty() {
    return length == 5;
  }

  /** A cursor before the first element; the way to walk a document without allocating. */
  public RawElements elements() {
    return new RawElements(bytes, offset, length);
  }

  /** The first field of that name, or null when it is missing. */
  public @Nullable RawValue field(String name) {
    return field(name.getBytes(StandardCharsets.UTF_8));
  }

  /** The first field of that name (UTF-8, no terminator), or null when it is missing. */
  public @Nullable RawValue field(byte[] name) {
    var elements = elements();
    while (elements.next()) {
      if (elements.nameEquals(name)) {
        return elements.value();
      }
    }
    return null;
  }

  /** This document as bytes of its own: the same object if it already owns its whole array. */
  public RawDocument compact() {
    return offset == 0 && bytes.length == length ? this : wrap(toByteArray());
  }

  public byte[] toByteArray() {
    return Arrays.copyOfRange(bytes, offset, offset + length);
  }

  /** The whole document as objects of the bson library. */
  public BsonDocument toBsonDocument() {
    return BsonDecoder.document(bytes, offset);
  }

  /** The values of this array, as raw values in order. */
  public List<RawValue> toValues() {
    var values = new java.util.ArrayList<RawValue>();
    var elements = elements();
    while (elements.next()) {
      values.add(elements.value());
    }
    return values;
  }

  /** A view that the bson library writes without decoding it. */
  public RawBsonDocument asRawBson() {
    return new RawBsonDocument(bytes, offset, length);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RawDocument document
        && Arrays.equals(
            bytes,
            offset,
            offset + length,
            document.bytes,
            document.offset,
            document.offset + document.length);
  }

  @Override
  public int hashCode() {
    int hash = 1;
    for (int i = offset; i < offset + length; i++) {
      hash = 31 * hash + bytes[i];
    }
    return hash;
  }

  @Override
  public String toString() {
    return toBsonDocument().toJson();
  }
}
