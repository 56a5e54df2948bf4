package dev.orrery.server.throughput;

import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What requests have in common that differ only in their values: command, collection, the fields
 * and operators of the filter, the sort, the names of the stages. {@code {find: "orders", filter:
 * {customer: "c1", total: {$gt: 5}}}} has the shape {@code find orders filter {customer: ?, total:
 * {$gt: ?}}}.
 */
public final class CommandShape {
  /*
   * Every request has its shape taken, so that must be cheap: one walk over the names of the fields that
   * make the shape, into a 64-bit hash. The text is made once, when a shape is first seen.
   */

  private static final int DEPTH_MAX = 6;
  private static final int TEXT_MAX = 500;
  private static final int STAGES_MAX = 20;

  /** Fields of commands and of their statements that belong to the shape. */
  private static final byte[][] SHAPING =
      utf8("filter", "query", "q", "sort", "pipeline", "key", "remove", "upsert");

  private static final byte[][] STATEMENTS = utf8("updates", "deletes");
  private static final byte[] SORT = "sort".getBytes(StandardCharsets.UTF_8);

  private final long hash;
  private final @Nullable String text;

  private CommandShape(long hash, @Nullable String text) {
    this.hash = hash;
    this.text = text;
  }

  private static byte[][] utf8(String... names) {
    return Arrays.stream(names)
        .map(name -> name.getBytes(StandardCharsets.UTF_8))
        .toArray(byte[][]::new);
  }

  private static boolean isOneOf(byte[][] names, RawElements element) {
    for (byte[] name : names) {
      if (element.nameEquals(name)) {
        return true;
      }
    }
    return false;
  }

  /**
   * The shape of a request.
   *
   * @param statement the first of the statements that came beside the body, or null
   */
  public static CommandShape of(RawDocument body, @Nullable RawDocument statement) {
    var walk = new Walk(null);
    walk.command(body, statement);
    return new CommandShape(walk.hash, null);
  }

  /** The same with its text; keeps nothing of the request. */
  public CommandShape described(RawDocument body, @Nullable RawDocument statement) {
    var walk = new Walk(new StringBuilder());
    walk.command(body, statement);
    return new CommandShape(hash, walk.text.toString());
  }

  /** Tells shapes apart. */
  public long id() {
    return hash;
  }

  /** The shape in words; empty for one that was not described. */
  public String text() {
    return text == null ? "" : text;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CommandShape shape && hash == shape.hash;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(hash);
  }

  /** One walk over a request; writes the text only if there is something to write to. */
  private static final class Walk {
    private final @Nullable StringBuilder text;
    private long hash = 1125899906842597L;

    Walk(@Nullable StringBuilder text) {
      this.text = text;
    }

    void command(RawDocument body, @Nullable RawDocument statement) {
      RawElements elements = body.elements();
      if (!elements.next()) {
        return;
      }
      addName(elements, body);
      if (elements.type() == RawTypes.STRING) {
        write(" ");
        int from = elements.valueOffset() + Integer.BYTES;
        add(body.bytes(), from, elements.valueLength() - Integer.BYTES - 1);
      }
      fields(elements, body);
      if (statement != null) {
        fields(statement.elements(), statement);
      }
    }

    private void fields(RawElements elements, RawDocument document) {
      while (elements.next()) {
        if (isOneOf(SHAPING, elements)) {
          write(" ");
          addName(elements, document);
          write(" ");
          value(elements.value(), elements.nameEquals(SORT) ? 1 : 0, 0);
        } else if (elements.type() == RawTypes.ARRAY && isOneOf(STATEMENTS, elements)) {
          RawElements statements = elements.value().asDocument().elements();
          if (statements.next() && statements.type() == RawTypes.DOCUMENT) {
            RawDocument first = statements.value().asDocument();
            fields(first.elements(), first);
          }
        }
      }
    }

    /** A sort's values are directions and belong to the shape. */
    private void value(RawValue value, int kept, int depth) {
      if (value.type() == RawTypes.DOCUMENT && depth < DEPTH_MAX) {
        document(value.asDocument(), kept, depth);
      } else if (value.type() == RawTypes.ARRAY && depth < DEPTH_MAX) {
        array(value.asDocument(), depth);
      } else if (kept == 1 && value.isNumber()) {
        add(value.toBsonValue().asNumber().intValue() < 0 ? "-1" : "1");
      } else {
        add("?");
      }
    }

    private void document(RawDocument document, int kept, int depth) {
      RawElements elements = document.elements();
      mark('{');
      for (boolean isFirst = true; elements.next(); isFirst = false) {
        write(isFirst ? "" : ", ");
        addName(elements, document);
        write(": ");
        value(elements.value(), kept, depth + 1);
      }
      mark('}');
    }

    /** Stages and alternatives are looked into; of an array of values one stands for all. */
    private void array(RawDocument array, int depth) {
      RawElements elements = array.elements();
      mark('[');
      boolean isLast = false;
      for (int i = 0; i < STAGES_MAX && !isLast && elements.next(); i++) {
        write(i == 0 ? "" : ", ");
        value(elements.value(), 0, depth + 1);
        isLast = elements.type() != RawTypes.DOCUMENT;
      }
      mark(']');
    }

    private void mark(char mark) {
      hash = hash * 31 + mark;
      if (text != null) {
        write(String.valueOf(mark));
      }
    }

    private void addName(RawElements element, RawDocument document) {
      add(document.bytes(), element.nameOffset(), element.nameLength());
    }

    private void add(byte[] utf8, int from, int length) {
      long sum = hash;
      for (int i = from; i < from + length; i++) {
        sum = sum * 31 + utf8[i];
      }
      hash = sum * 31 + 7;
      if (text != null) {
        write(new String(utf8, from, length, StandardCharsets.UTF_8));
      }
    }

    private void add(String part) {
      hash = (hash * 31 + part.hashCode()) * 31 + 7;
      write(part);
    }

    private void write(String part) {
      if (text != null && text.length() < TEXT_MAX) {
        text.append(part);
      }
    }
  }
}
