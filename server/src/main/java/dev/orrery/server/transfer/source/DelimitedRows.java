package dev.orrery.server.transfer.source;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a file of comma- or tab-separated values. With commas, a field may be in quotes and
 * then hold commas, line breaks, and quotes written twice (RFC 4180); with tabs, a field is what
 * stands between two tabs.
 */
final class DelimitedRows implements Closeable {
  private static final int END = -1;
  private static final int ROW_CHARACTERS_MAX = BsonRecords.DOCUMENT_BYTES_MAX;

  /** A row, the line it begins in, and what is wrong with its quotes, if anything. */
  record Row(long line, List<String> values, int length, @Nullable String problem) {}

  private final BufferedReader in;
  private final String name;
  private final char delimiter;
  private final boolean isQuoting;
  private long line = 1;
  private int next;
  private int length;
  private String problem;

  DelimitedRows(InputStream bytes, String name, char delimiter) throws IOException {
    this.in = new BufferedReader(new InputStreamReader(bytes, StandardCharsets.UTF_8.newDecoder()));
    this.name = name;
    this.delimiter = delimiter;
    this.isQuoting = delimiter == ',';
    this.next = read();
    if (next == '\uFEFF') {
      this.next = read();
    }
  }

  /** The next row that is not empty, or null after the last one. */
  @Nullable Row next() throws IOException {
    while (next == '\n' || next == '\r') {
      advance();
    }
    if (next == END) {
      return null;
    }
    long start = line;
    var values = new ArrayList<String>();
    length = 0;
    problem = null;
    do {
      values.add(isQuoting && next == '"' ? quoted(start) : plain());
    } while (isDelimiter());
    return new Row(start, values, length, problem);
  }

  private boolean isDelimiter() throws IOException {
    boolean isDelimiter = next == delimiter;
    if (isDelimiter) {
      advance();
    }
    return isDelimiter;
  }

  private String plain() throws IOException {
    var value = new StringBuilder();
    while (next != END && next != '\n' && next != delimiter) {
      if (isQuoting && next == '"' && problem == null) {
        problem =
            "a quote inside a field that does not begin with one; write the field in quotes"
                + " and its quotes twice";
      }
      value.append((char) next);
      advance();
    }
    int end = value.length();
    if (next != delimiter && end > 0 && value.charAt(end - 1) == '\r') {
      value.setLength(end - 1);
    }
    return value.toString();
  }

  private String quoted(long start) throws IOException {
    var value = new StringBuilder();
    advance();
    while (true) {
      if (next == END) {
        throw new TransferException(
            "%s: the row that begins in line %,d has a field without its closing quote, up to the end of the file."
                .formatted(name, start));
      }
      if (next == '"') {
        advance();
        if (next != '"') {
          break;
        }
      }
      value.append((char) next);
      advance();
    }
    String rest = plain();
    if (!rest.isEmpty() && problem == null) {
      problem = "text after a closing quote; write quotes inside a field twice";
    }
    return value.append(rest).toString();
  }

  private void advance() throws IOException {
    if (next == '\n') {
      line++;
    }
    if (++length > ROW_CHARACTERS_MAX) {
      throw new TransferException(
          "%s: the row before line %,d is larger than any document can be; a quote is missing."
              .formatted(name, line));
    }
    next = read();
  }

  private int read() throws IOException {
    try {
      return in.read();
    } catch (CharacterCodingException e) {
      throw new TransferException(
          "%s: after line %,d there are bytes that are no UTF-8. Convert the file, for example with iconv."
              .formatted(name, line),
          e);
    }
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
