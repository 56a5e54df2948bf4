package dev.orrery.storage.feed;

import dev.orrery.storage.Change;
import dev.orrery.storage.ChangeFeed;
import dev.orrery.storage.Changes;
import dev.orrery.storage.CollectionIdentity;
import dev.orrery.storage.CommittedGroup;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.log.Log;
import dev.orrery.storage.log.LogCursor;
import dev.orrery.storage.log.LogGroup;
import dev.orrery.storage.log.Stamp;
import dev.orrery.storage.structure.CatalogRecord;
import dev.orrery.storage.structure.DataRecord;
import dev.orrery.value.LittleEndian;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A reader of the log who tells what its groups changed. */
final class LogChanges implements Changes {
  private static final int OVERHEAD_BYTES = 200;

  private final Log log;
  private final CollectionNames names;
  private final ChangeFeed.Interest interest;
  private final Supplier<StorageException> trimmed;
  private @Nullable LogCursor cursor;
  private long expected;
  private long time;

  LogChanges(
      Log log,
      long after,
      CollectionNames names,
      ChangeFeed.Interest interest,
      Supplier<StorageException> trimmed) {
    this.log = log;
    this.time = after;
    this.names = names;
    this.interest = interest;
    this.trimmed = trimmed;
  }

  @Override
  public long time() {
    return time;
  }

  @Override
  public CompletionStage<List<CommittedGroup>> next(int bytesMax) {
    try {
      return CompletableFuture.completedFuture(read(bytesMax));
    } catch (StorageException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private List<CommittedGroup> read(int bytesMax) {
    var groups = new ArrayList<CommittedGroup>();
    long bytes = 0;
    if (cursor == null && !open()) {
      return groups;
    }
    while (bytes < bytesMax) {
      LogGroup group = cursor.next();
      if (group == null) {
        break;
      }
      if (group.lsn() != expected) {
        throw trimmed.get();
      }
      expected++;
      Stamp stamp = group.stamp();
      time = Math.max(time, stamp.time());
      List<Change> changes = changes(group);
      bytes += group.source().length;
      if (changes.stream().anyMatch(change -> change != Change.Unwanted.ONE)) {
        int size = group.source().length + OVERHEAD_BYTES * changes.size();
        groups.add(new CommittedGroup(stamp.time(), stamp.millis(), changes, size));
      }
    }
    return groups;
  }

  /** Finds the place; false while it lies in the future. */
  private boolean open() {
    if (time < log.unbroken().time()) {
      throw trimmed.get();
    }
    long lsn = log.lsnAfter(time);
    if (lsn == 0) {
      return false;
    }
    expected = lsn;
    cursor = log.from(lsn);
    return true;
  }

  private List<Change> changes(LogGroup group) {
    Map<Integer, Change.Image> images = null;
    var changes = new ArrayList<Change>(group.size());
    for (int i = 0; i < group.size(); i++) {
      byte kind = group.kind(i);
      Change change = null;
      if (kind == DataRecord.CATALOG) {
        change = CatalogRecord.change(RawDocument.wrap(group.payload(i)).toBsonDocument());
        if (change instanceof Change.OfStructure structure && structure.after() != null) {
          names.put(structure.after());
        }
      } else if (DataRecord.isOfDocument(kind) && kind != DataRecord.MOVE) {
        CollectionIdentity collection = collection(group, i);
        if (collection == null) {
          continue; // it ended before anything wrote down names, in an older version
        }
        if (interest.isIn(collection, document(group, i))) {
          images = images == null ? images(group) : images;
          Change.Image image = images.getOrDefault(i, Change.Image.NONE);
          change = new Change.OfDocument(kind(kind), collection, document(group, i), image);
        } else {
          change = Change.Unwanted.ONE;
        }
      }
      if (change != null) {
        changes.add(change);
      }
    }
    return changes;
  }

  private @Nullable CollectionIdentity collection(LogGroup group, int index) {
    int id = DataRecord.of(group.source(), group.metaOffset(index)).collection();
    return names.find(id, group.lsn());
  }

  private static Change.Kind kind(byte kind) {
    return switch (kind) {
      case DataRecord.INSERT -> Change.Kind.INSERT;
      case DataRecord.REPLACE -> Change.Kind.REPLACE;
      case DataRecord.DELETE -> Change.Kind.DELETE;
      default -> throw new IllegalStateException("no change of a document: " + kind);
    };
  }

  private static RawDocument document(LogGroup group, int index) {
    return RawDocument.wrap(group.source(), group.payloadOffset(index), group.payloadLength(index));
  }

  /** What the records at the end of the group tell of those before them, by place. */
  private static Map<Integer, Change.Image> images(LogGroup group) {
    Map<Integer, Change.Image> images = Map.of();
    for (int i = group.size() - 1; i > 0; i--) {
      byte kind = group.kind(i);
      if (kind != DataRecord.DELTA && kind != DataRecord.BEFORE) {
        break;
      }
      if (images.isEmpty()) {
        images = new HashMap<>();
      }
      int about = LittleEndian.int32(group.source(), group.metaOffset(i));
      Change.Image other = images.getOrDefault(about, Change.Image.NONE);
      RawDocument told = document(group, i);
      images.put(
          about,
          kind == DataRecord.DELTA
              ? new Change.Image(told, other.before())
              : new Change.Image(other.delta(), told));
    }
    return images;
  }
}
