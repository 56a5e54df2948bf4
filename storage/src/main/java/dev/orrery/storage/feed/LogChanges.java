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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
    Set<Integer> stepwise = stepwise(group);
    var changes = new ArrayList<Change>(group.size());
    for (int i = 0; i < group.size(); i++) {
      byte kind = group.kind(i);
      Change change = null;
      if (kind != DataRecord.STEP && !stepwise.isEmpty() && isAboutOneOf(stepwise, group, i)) {
        continue; // its steps tell more
      }
      if (kind == DataRecord.CATALOG) {
        change = CatalogRecord.change(RawDocument.wrap(group.payload(i)).toBsonDocument());
        if (change instanceof Change.OfStructure structure && structure.after() != null) {
          names.put(structure.after());
        }
      } else if (isTold(kind)) {
        CollectionIdentity collection = collection(group, i);
        if (collection == null) {
          continue; // it ended before anything wrote down names, in an older version
        }
        if (interest.isIn(collection, document(group, i))) {
          images = images == null ? images(group) : images;
          Change.Image image = withEffort(images.getOrDefault(i, Change.Image.NONE), group, i);
          change = new Change.OfDocument(kind(group, i), collection, document(group, i), image);
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

  private static boolean isTold(byte kind) {
    return DataRecord.isOfDocument(kind) && kind != DataRecord.MOVE || kind == DataRecord.STEP;
  }

  /** The collections whose changes the group tells step by step; empty for nearly all groups. */
  private static Set<Integer> stepwise(LogGroup group) {
    Set<Integer> collections = Set.of();
    for (int i = group.size() - 1; i > 0 && isBesides(group.kind(i)); i--) {
      if (group.kind(i) == DataRecord.STEP) {
        collections = collections.isEmpty() ? new HashSet<>() : collections;
        collections.add(record(group, i).collection());
      }
    }
    return collections;
  }

  private static boolean isBesides(byte kind) {
    return kind == DataRecord.DELTA || kind == DataRecord.BEFORE || kind == DataRecord.STEP;
  }

  private static boolean isAboutOneOf(Set<Integer> collections, LogGroup group, int index) {
    return DataRecord.isOfDocument(group.kind(index))
        && collections.contains(record(group, index).collection());
  }

  private static DataRecord record(LogGroup group, int index) {
    return DataRecord.of(group.source(), group.metaOffset(index));
  }

  private static Change.Image withEffort(Change.Image image, LogGroup group, int index) {
    Change.Effort effort =
        DataRecord.effort(group.source(), group.metaOffset(index), group.metaLength(index));
    return new Change.Image(image.delta(), image.before(), effort);
  }

  private @Nullable CollectionIdentity collection(LogGroup group, int index) {
    return names.find(record(group, index).collection(), group.lsn());
  }

  private static Change.Kind kind(LogGroup group, int index) {
    byte kind = group.kind(index);
    return switch (kind) {
      case DataRecord.STEP -> Change.Kind.values()[(int) record(group, index).recordId()];
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
      if (!isBesides(kind)) {
        break;
      }
      if (kind == DataRecord.STEP) {
        continue;
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
              ? new Change.Image(told, other.before(), null)
              : new Change.Image(other.delta(), told, null));
    }
    return images;
  }
}
