package dev.orrery.server.aggregate;

import dev.orrery.server.error.CommandException;
import dev.orrery.server.error.ErrorCode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** Documents to be read several times, in memory or, when they are too many, on disk. */
final class DocumentBuffer implements AutoCloseable {
  private static final byte[] NO_KEY = new byte[0];

  private final String stage;
  private final Run.Spill spill;
  private final List<BsonDocument> documents = new ArrayList<>();
  private @Nullable SpillFile file;
  private long bytes;

  DocumentBuffer(String stage, Run.Spill spill) {
    this.stage = stage;
    this.spill = spill;
  }

  void add(BsonDocument document) {
    if (file != null) {
      file.write(NO_KEY, 0, Documents.encode(document));
      return;
    }
    documents.add(document);
    bytes += Documents.heapBytes(document);
    if (bytes > spill.bytesMax()) {
      if (!spill.isAllowed()) {
        throw new CommandException(
            ErrorCode.QUERY_EXCEEDED_MEMORY_LIMIT_NO_DISK_USE_ALLOWED,
            "Exceeded memory limit for "
                + stage
                + ", but didn't allow external sort. Pass allowDiskUse:true to opt in.");
      }
      file = new SpillFile(spill.directory(), stage);
    }
  }

  void addAll(DocumentStream input) {
    for (BsonDocument one = input.next(); one != null; one = input.next()) {
      add(one);
    }
    finish();
  }

  /** Ends the writing. */
  void finish() {
    if (file != null) {
      file.finish();
    }
  }

  /** All documents in the order of their coming. */
  Iterator<BsonDocument> iterator() {
    Iterator<BsonDocument> first = documents.iterator();
    Iterator<Sorter.Entry> rest =
        file == null ? java.util.Collections.emptyIterator() : file.entries();
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return first.hasNext() || rest.hasNext();
      }

      @Override
      public BsonDocument next() {
        return first.hasNext() ? first.next() : rest.next().document();
      }
    };
  }

  @Override
  public void close() {
    if (file != null) {
      file.close();
    }
  }
}
