package dev.orrery.server.transfer.source;

import java.util.List;

/**
 * How separated values become documents.
 *
 * @param fields the names of the columns, or empty if the first line has them
 */
public record CsvFormat(
    List<String> fields,
    boolean hasHeaderLine,
    boolean hasTypes,
    boolean ignoresBlanks,
    boolean usesArrayIndexes,
    Grace grace) {
  /** What happens to a value that is not of its column's type. */
  public enum Grace {
    AUTO_CAST("autoCast"),
    SKIP_FIELD("skipField"),
    SKIP_ROW("skipRow"),
    STOP("stop");

    private final String text;

    Grace(String text) {
      this.text = text;
    }

    public static Grace parse(String text) {
      for (Grace grace : values()) {
        if (grace.text.equals(text)) {
          return grace;
        }
      }
      throw new UsageException("--parseGrace is autoCast, skipField, skipRow or stop, not " + text);
    }
  }

  public CsvFormat {
    fields = List.copyOf(fields);
  }
}
