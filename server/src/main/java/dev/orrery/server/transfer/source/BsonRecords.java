package dev.orrery.server.transfer.source;

import dev.orrery.value.RawDocument;
import dev.orrery.wire.BsonValidator;
import dev.orrery.wire.WireException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** BSON documents, one right after the other: a .bson file, and the parts of an archive. */
final class BsonRecords implements RecordReader {
  /** What a server takes, and the little more that it allows itself. */
  static final int DOCUMENT_BYTES_MAX = 16 * 1024 * 1024 + 16 * 1024;

  private static final int SMALLEST = 5;

  private final InputStream in;
  private final String name;
  private long offset;

  BsonRecords(InputStream in, String name) {
    this.in = in;
    this.name = name;
  }

  @Override
  public @Nullable SourceRecord next() throws IOException {
    long start = offset;
    byte[] head = take(Integer.BYTES);
    if (head.length == 0) {
      return null;
    }
    return new Document(body(head, start), start);
  }

  /** The length or the mark that stands next, or null at the end. */
  @Nullable Integer nextInt() throws IOException {
    long start = offset;
    byte[] head = take(Integer.BYTES);
    if (head.length == 0) {
      return null;
    }
    if (head.length < Integer.BYTES) {
      throw truncated(start);
    }
    return littleEndian(head);
  }

  /** The document whose length was read by {@link #nextInt()}. */
  Document document(int length) throws IOException {
    long start = offset - Integer.BYTES;
    byte[] head = new byte[Integer.BYTES];
    for (int i = 0; i < head.length; i++) {
      head[i] = (byte) (length >>> 8 * i);
    }
    return new Document(body(head, start), start);
  }

  long offset() {
    return offset;
  }

  private byte[] body(byte[] head, long start) throws IOException {
    if (head.length < Integer.BYTES) {
      throw truncated(start);
    }
    int length = littleEndian(head);
    if (length < SMALLEST || length > DOCUMENT_BYTES_MAX) {
      throw new TransferException(
          "%s: at byte %,d a document should begin, but its length would be %,d bytes (%d to %,d are possible). The file is damaged there or holds no BSON; the documents before that byte are sound."
              .formatted(name, start, length, SMALLEST, DOCUMENT_BYTES_MAX));
    }
    byte[] rest = take(length - Integer.BYTES);
    if (rest.length < length - Integer.BYTES) {
      throw truncated(start);
    }
    byte[] whole = new byte[length];
    System.arraycopy(head, 0, whole, 0, Integer.BYTES);
    System.arraycopy(rest, 0, whole, Integer.BYTES, rest.length);
    return whole;
  }

  private static int littleEndian(byte[] head) {
    return head[0] & 0xff | (head[1] & 0xff) << 8 | (head[2] & 0xff) << 16 | head[3] << 24;
  }

  private byte[] take(int length) throws IOException {
    try {
      byte[] bytes = in.readNBytes(length);
      offset += bytes.length;
      return bytes;
    } catch (EOFException e) { // of a gzip stream that was cut
      throw new TransferException(
          name
              + ": the compressed data end in the middle, after "
              + "%,d bytes unpacked. The file was cut; copy or dump it again.".formatted(offset),
          e);
    } catch (java.util.zip.ZipException e) {
      throw new TransferException(
          "%s: the compressed data are damaged after %,d bytes unpacked (%s). Copy or dump the file again."
              .formatted(name, offset, e.getMessage()),
          e);
    }
  }

  private TransferException truncated(long start) {
    return new TransferException(
        "%s: the document at byte %,d is cut off by the end of the file. The file is not complete; the documents before that byte are sound."
            .formatted(name, start));
  }

  @Override
  public void close() throws IOException {
    in.close();
  }

  /** A document with its own bytes; checked when it is asked for. */
  final class Document implements SourceRecord {
    private final byte[] bytes;
    private final long start;

    private Document(byte[] bytes, long start) {
      this.bytes = bytes;
      this.start = start;
    }

    byte[] bytes() {
      return bytes;
    }

    @Override
    public String place() {
      return "%s, byte %,d".formatted(name, start);
    }

    @Override
    public int length() {
      return bytes.length;
    }

    @Override
    public RawDocument document() throws BadRecordException {
      try {
        new BsonValidator().validate(bytes, 0, bytes.length);
        return RawDocument.wrap(bytes);
      } catch (WireException e) {
        throw new BadRecordException(
            place(), "the document is no valid BSON: " + e.getMessage() + summary());
      }
    }

    private String summary() {
      byte[] head = Arrays.copyOf(bytes, Math.min(bytes.length, 16));
      return " (%,d bytes, beginning with %s)"
          .formatted(bytes.length, java.util.HexFormat.of().formatHex(head));
    }
  }
}
