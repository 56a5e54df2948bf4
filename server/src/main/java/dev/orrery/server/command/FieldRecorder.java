package dev.orrery.server.command;

import java.util.LinkedHashMap;
import java.util.Map;

/** Learns which fields a command reads, by letting it parse nothing; for docs/compat.md. */
public final class FieldRecorder {
  /** What a command does with a field. */
  public enum Use {
    USED,
    IGNORED,
    REFUSED
  }

  /** Ends the recorded command where its parsing ends, before it does anything. */
  public static final class Finished extends RuntimeException {
    Finished() {
      super(null, null, false, false);
    }
  }

  private final String root;
  private final Map<String, Use> fields = new LinkedHashMap<>();

  public FieldRecorder(String root) {
    this.root = root;
  }

  void field(String path, Use use) {
    fields.putIfAbsent(path, use);
  }

  void finished(String path) {
    if (path.equals(root)) {
      throw new Finished();
    }
  }

  /** Every field by its path, in the order of asking. */
  public Map<String, Use> fields() {
    return fields;
  }
}
