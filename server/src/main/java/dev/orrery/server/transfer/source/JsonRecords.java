package dev.orrery.server.transfer.source;

import dev.orrery.value.RawDocument;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * JSON documents, one per line or over several lines, one after the other or in an array. A
 * document is found by its braces and parsed later: extended JSON, canonical or relaxed, version 2
 * or the older version 1, and the forms of the shell.
 */
public final class JsonRecords implements RecordReader {
  private static final int TEXT_BYTES_MAX = 8 * BsonRecords.DOCUMENT_BYTES_MAX;
  private static final int NOTHING = -2;

  private final InputStream in;
  private final String name;
  private long line = 1;
  private int pending = NOTHING;
  private boolean isStarted;
  private boolean isArray;
  private boolean isEnded;

  public JsonRecords(InputStream in, String name) {
    this.in = in;
    this.name = name;
  }

  @Override
  public @Nullable SourceRecord next() throws IOException {
    if (isEnded) {
      return null;
    }
    int first = isStarted ? skipSpace() : start();
    if (isArray && first == ']') {
      return endOfArray();
    }
    if (first < 0) {
      if (isArray) {
        throw broken("the array has no end");
      }
      isEnded = true;
      return null;
    }
    if (first != '{') {
      throw broken("a document was expected here, and '" + (char) first + "' was found");
    }
    var document = new Text(line, text());
    afterDocument();
    return document;
  }

  /** Passes over a byte order mark, and enters an array if there is one. */
  private int start() throws IOException {
    isStarted = true;
    int first = read();
    if (first == 0xEF && read() == 0xBB && read() == 0xBF) {
      first = read();
    }
    pending = first;
    first = skipSpace();
    if (first == '[') {
      isArray = true;
      return skipSpace();
    }
    return first;
  }

  private void afterDocument() throws IOException {
    int after = skipSpace();
    if (isArray && after != ',' && after != ']') {
      throw broken(
          after < 0
              ? "the array has no end"
              : "a comma or the end of the array was expected, and '" + (char) after + "' found");
    }
    if (!isArray || after == ']') {
      pending = after;
    }
  }

  private @Nullable SourceRecord endOfArray() throws IOException {
    int after = skipSpace();
    if (after >= 0) {
      throw broken("there is more after the end of the array: '" + (char) after + "'");
    }
    isEnded = true;
    return null;
  }

  /** The rest of the document whose first brace was read. */
  private byte[] text() throws IOException {
    long start = line;
    var text = new ByteArrayOutputStream(512);
    text.write('{');
    int depth = 1;
    int quote = 0;
    while (depth > 0) {
      int next = read();
      if (next < 0) {
        throw new TransferException(
            "%s: the document that begins in line %,d has no end; a brace or a quote is missing."
                .formatted(name, start));
      }
      if (text.size() == TEXT_BYTES_MAX) {
        throw new TransferException(
            "%s: the document that begins in line %,d is larger than any can be; a brace or a quote is missing."
                .formatted(name, start));
      }
      text.write(next);
      if (quote != 0) {
        if (next == '\\') {
          text.write(read());
        } else if (next == quote) {
          quote = 0;
        }
      } else if (next == '"' || next == '\'') {
        quote = next;
      } else if (next == '{') {
        depth++;
      } else if (next == '}') {
        depth--;
      }
    }
    return text.toByteArray();
  }

  private int skipSpace() throws IOException {
    int next = read();
    while (next == ' ' || next == '\t' || next == '\r' || next == '\n') {
      next = read();
    }
    return next;
  }

  private int read() throws IOException {
    if (pending != NOTHING) {
      int next = pending;
      pending = NOTHING;
      return next;
    }
    int next = in.read();
    if (next == '\n') {
      line++;
    }
    return next;
  }

  private TransferException broken(String problem) {
    return new TransferException(
        "%s, line %,d: this is no JSON: %s. Correct the file, or name its format with --type."
            .formatted(name, line, problem));
  }

  @Override
  public void close() throws IOException {
    in.close();
  }

  private final class Text implements SourceRecord {
    private final long start;
    private final byte[] text;

    Text(long start, byte[] text) {
      this.start = start;
      this.text = text;
    }

    @Override
    public String place() {
      return "%s, line %,d".formatted(name, start);
    }

    @Override
    public int length() {
      return text.length;
    }

    @Override
    public RawDocument document() throws BadRecordException {
      try {
        return RawDocument.of(BsonDocument.parse(new String(text, StandardCharsets.UTF_8)));
      } catch (RuntimeException e) { // the parser has many, for what is no JSON or has no value
        throw new BadRecordException(place(), "this is no extended JSON: " + e.getMessage());
      }
    }
  }
}
