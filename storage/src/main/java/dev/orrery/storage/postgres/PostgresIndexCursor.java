package dev.orrery.storage.postgres;

import dev.orrery.storage.IndexCursor;
import dev.orrery.storage.IndexRange;
import dev.orrery.storage.PartitionStore.FieldsSeen;
import dev.orrery.storage.StoredDocument;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.postgres.EntryPages.Entry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Entries of an index in one partition, by pages; it holds nothing but its place. */
final class PostgresIndexCursor implements IndexCursor {
  private final PostgresPartition partition;
  private final IndexRange range;
  private final EntryPages pages;
  private final Deque<Entry> page = new ArrayDeque<>();
  private @Nullable Entry current;
  private @Nullable FieldsSeen fields;
  private Seen seen = Seen.NOTHING;

  /** Nothing before this key is wanted any more; null if all is. */
  private byte @Nullable [] from;

  PostgresIndexCursor(PostgresPartition partition, IndexSpec spec, IndexRange range) {
    this.partition = partition;
    this.range = range;
    this.pages = new EntryPages(partition, spec, range);
  }

  @Override
  public boolean next(WorkMeter meter) {
    while (!page.isEmpty() && isPassed(page.peek().key())) {
      page.remove();
    }
    Entry next = page.poll();
    if (next == null) {
      return false;
    }
    meter.examineKeys(1);
    current = next;
    return true;
  }

  private boolean isPassed(byte[] key) {
    if (from == null) {
      return false;
    }
    int order = Arrays.compareUnsigned(key, from);
    return range.reverse() ? order > 0 : order < 0;
  }

  @Override
  public CompletionStage<Boolean> load(WorkMeter meter) {
    byte[] start = from;
    return partition
        .reader
        .ask(session -> pages.next(session, start))
        .thenApply(found -> loaded(found, meter));
  }

  private boolean loaded(List<Entry> found, WorkMeter meter) {
    page.addAll(found);
    if (!pages.seen().equals(seen)) {
      seen = pages.seen();
      fields = null;
    }
    var documents = new ArrayList<StoredDocument>();
    for (Entry entry : found) {
      if (entry.document() != null) {
        documents.add(partition.stored(entry.document()));
      }
    }
    if (!documents.isEmpty()) {
      partition.prefetched().put(documents);
    }
    if (found.isEmpty()) {
      meter.examineKeys(1); // to find the end takes a look
    }
    return !found.isEmpty();
  }

  @Override
  public byte[] key() {
    return current.key();
  }

  @Override
  public long recordId() {
    return current.record();
  }

  @Override
  public FieldsSeen fieldsSeen() {
    if (fields == null) {
      fields = seen.fields();
    }
    return fields;
  }

  @Override
  public void seek(byte[] key) {
    if (!isPassed(key)) {
      from = key;
    }
  }
}
