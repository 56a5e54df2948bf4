package dev.orrery.language.aggregate.stage;

import dev.orrery.language.limit.Holding;
import dev.orrery.language.limit.Resting;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * A document that a stage comes back to for its next results. While nobody reads the cursor a large
 * one is counted, and on disk if there is too much: what open cursors hold no request gets.
 */
public final class RestingDocument implements Resting, AutoCloseable {
  private static final byte[] NO_KEY = new byte[0];

  /** What takes less stays in memory. */
  private static final long KEPT_BYTES_MAX = 1 << 20;

  private final String stage;
  private final PipelineRun.Spill spill;
  private final Holding holding;
  private @Nullable BsonDocument document;
  private @Nullable SpilledRecords file;
  private boolean isKnown;
  private boolean isTooMuch;

  public RestingDocument(String stage, PipelineRun.Spill spill) {
    this.stage = stage;
    this.spill = spill;
    this.holding = new Holding(spill.memory());
  }

  /** Takes another document, or none, instead of the one it has. */
  public void set(@Nullable BsonDocument next) {
    closeFile();
    letGo();
    document = next;
    if (next != null && !isKnown) {
      spill.memory().add(this);
      isKnown = true;
    }
  }

  /** The document, which may be another object each time; null if there is none. */
  public @Nullable BsonDocument get() {
    if (file != null) {
      document = file.documentAt(0);
      closeFile();
    }
    return document;
  }

  /** Not before somebody wants to know: most documents are left before a batch is full. */
  @Override
  public void count() {
    if (document != null && holding.bytes() == 0) {
      long bytes = Documents.heapBytes(document);
      isTooMuch = bytes > KEPT_BYTES_MAX && !holding.grow(bytes);
    }
  }

  @Override
  public void rest(boolean spills) {
    if (document != null && (isTooMuch || spills && holding.bytes() > 0)) {
      putAway();
    }
  }

  private void putAway() {
    var written = new SpilledRecords(spill.area(), stage);
    try {
      written.write(NO_KEY, 0, Documents.encode(document));
      written.finish();
      written.rest();
    } catch (RuntimeException | Error failure) {
      written.close();
      throw failure;
    }
    file = written;
    document = null;
    letGo();
  }

  private void letGo() {
    holding.clear();
    isTooMuch = false;
  }

  private void closeFile() {
    if (file != null) {
      file.close();
      file = null;
    }
  }

  @Override
  public void close() {
    document = null;
    closeFile();
    letGo();
    if (isKnown) {
      spill.memory().remove(this);
      isKnown = false;
    }
  }
}
