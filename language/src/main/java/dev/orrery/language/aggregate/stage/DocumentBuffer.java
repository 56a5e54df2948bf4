package dev.orrery.language.aggregate.stage;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Holding;
import dev.orrery.language.limit.Resting;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * Documents to be read several times, in memory or, when they are too many, on disk. Reading one
 * after the other is fast, back and forth on disk is not.
 */
public final class DocumentBuffer extends AbstractList<BsonDocument>
    implements Resting, AutoCloseable {
  private static final byte[] NO_KEY = new byte[0];

  /** How many documents stay decoded, for those who read the same or the ones around. */
  private static final int RECENT = 16;

  /** Of documents larger than this only one stays. */
  private static final int RECENT_BYTES_MAX = 1 << 16;

  private final String stage;
  private final PipelineRun.Spill spill;
  private final Holding holding;
  private final List<BsonDocument> documents = new ArrayList<>();
  private @Nullable SpilledRecords file;
  private long[] positions = new long[16];
  private int written;
  private final int[] recentPlaces = new int[RECENT];
  private final BsonDocument[] recent = new BsonDocument[RECENT];
  private boolean isFinished;

  public DocumentBuffer(String stage, PipelineRun.Spill spill) {
    this.stage = stage;
    this.spill = spill;
    this.holding = new Holding(spill.memory());
    spill.memory().add(this);
  }

  @Override
  public boolean add(BsonDocument document) {
    if (file != null) {
      write(document);
      return true;
    }
    documents.add(document);
    if (!spill.fits(holding, Documents.heapBytes(document))) {
      if (!spill.isAllowed()) {
        throw new CommandException(
            ErrorCode.QUERY_EXCEEDED_MEMORY_LIMIT_NO_DISK_USE_ALLOWED,
            "Exceeded memory limit for "
                + stage
                + ", but didn't allow external sort. Pass allowDiskUse:true to opt in.");
      }
      moveToDisk();
    }
    return true;
  }

  private void moveToDisk() {
    file = new SpilledRecords(spill.area(), stage);
    documents.forEach(this::write);
    documents.clear();
    holding.clear();
  }

  private void write(BsonDocument document) {
    if (written == positions.length) {
      positions = Arrays.copyOf(positions, 2 * written);
    }
    positions[written++] = file.write(NO_KEY, 0, Documents.encode(document));
  }

  public void addAll(DocumentStream input) {
    for (BsonDocument one = input.next(); one != null; one = input.next()) {
      add(one);
    }
    finish();
  }

  /** Ends the writing, before the first document is read. */
  public void finish() {
    isFinished = true;
    if (file != null) {
      file.finish();
    }
  }

  @Override
  public int size() {
    return documents.size() + written;
  }

  @Override
  public BsonDocument get(int index) {
    if (file == null) {
      return documents.get(index);
    }
    long end = index + 1 < written ? positions[index + 1] : file.length();
    boolean isLarge = end - positions[index] > RECENT_BYTES_MAX;
    int at = isLarge ? 0 : index % RECENT;
    if (recent[at] == null || recentPlaces[at] != index) {
      recent[at] = file.documentAt(positions[index]);
      recentPlaces[at] = index;
    }
    return recent[at];
  }

  /** All documents in the order of their coming. */
  public DocumentStream open() {
    if (file == null) {
      return DocumentStream.of(iterator()); // by place: they may move to the disk meanwhile
    }
    var entries = file.entries();
    return () -> entries.hasNext() ? entries.next().document() : null;
  }

  @Override
  public void rest(boolean spills) {
    if (spills && isFinished && !documents.isEmpty()) {
      moveToDisk();
      file.finish();
    }
    if (file != null && isFinished) {
      Arrays.fill(recent, null);
      file.rest();
    }
  }

  @Override
  public void close() {
    spill.memory().remove(this);
    holding.close();
    if (file != null) {
      file.close();
    }
  }
}
