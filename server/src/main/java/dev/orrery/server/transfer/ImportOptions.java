package dev.orrery.server.transfer;

import dev.orrery.server.transfer.analysis.CollectionSettings;
import dev.orrery.server.transfer.source.UsageException;
import java.util.List;
import java.util.Locale;

/** How documents are written. */
record ImportOptions(
    Mode mode,
    List<String> upsertFields,
    boolean drops,
    boolean stopsOnError,
    boolean keepsOrder,
    boolean bypassesValidation,
    boolean restoresIndexes,
    boolean restoresOptions,
    int workers,
    int batchSize,
    CollectionSettings.Given settings) {
  /** What happens to a document of the source. */
  enum Mode {
    INSERT,
    UPSERT,
    MERGE,
    DELETE;

    static Mode parse(String text) {
      for (Mode mode : values()) {
        if (mode.name().equals(text.toUpperCase(Locale.ROOT))) {
          return mode;
        }
      }
      throw new UsageException("--mode is insert, upsert, merge or delete, not " + text);
    }
  }

  ImportOptions {
    upsertFields = List.copyOf(upsertFields);
  }

  /** Whether the documents of a batch have to be written one after the other. */
  boolean isOrdered() {
    return keepsOrder || mode != Mode.INSERT;
  }
}
