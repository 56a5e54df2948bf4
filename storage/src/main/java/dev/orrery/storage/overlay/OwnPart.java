package dev.orrery.storage.overlay;

import dev.orrery.storage.PartitionStore.FieldsSeen;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.index.BTreeBound;
import dev.orrery.storage.index.IndexKeySet;
import dev.orrery.storage.index.IndexKeys;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The documents of one range that a transaction changed, by record, and by key in the indexes that
 * somebody looked at.
 */
final class OwnPart {
  /** One index over these documents. */
  final class Entries {
    final TreeMap<BTreeBound, OwnDocument> byKey = new TreeMap<>();
    private final IndexKeys keys;
    private final Map<OwnDocument, List<byte[]>> byDocument = new HashMap<>();
    private FieldsSeen seen = FieldsSeen.NOTHING;

    private Entries(IndexKeys keys) {
      this.keys = keys;
      byRecord.values().forEach(this::add);
    }

    FieldsSeen seen() {
      return seen;
    }

    private void add(OwnDocument document) {
      if (document.present() == null) {
        return;
      }
      IndexKeySet set = keys.extract(document.present());
      seen = seen.with(new FieldsSeen(arrays(set), set.numbers()));
      set.keys().forEach(key -> byKey.put(BTreeBound.at(key, document.recordId()), document));
      byDocument.put(document, set.keys());
    }

    private static long arrays(IndexKeySet set) {
      long arrays = 0;
      for (int i = 0; i < set.multikeyPaths().size(); i++) {
        arrays |= set.multikeyPaths().get(i).isEmpty() ? 0 : 1L << i;
      }
      return arrays;
    }

    private void remove(OwnDocument document) {
      List<byte[]> gone = byDocument.remove(document);
      if (gone != null) {
        gone.forEach(key -> byKey.remove(BTreeBound.at(key, document.recordId())));
      }
    }
  }

  private final Map<Long, OwnDocument> byRecord = new HashMap<>();
  private final TreeMap<Long, OwnDocument> inserted = new TreeMap<>();
  private final Map<String, Entries> indexes = new HashMap<>();

  @Nullable OwnDocument find(long recordId) {
    return byRecord.get(recordId);
  }

  /** Documents that the transaction brought, in the order in which they came. */
  TreeMap<Long, OwnDocument> inserted() {
    return inserted;
  }

  int size() {
    return byRecord.size();
  }

  void add(OwnDocument document) {
    byRecord.put(document.recordId(), document);
    if (document.base == null) {
      inserted.put(document.recordId(), document);
    }
    indexes.values().forEach(index -> index.add(document));
  }

  /** Takes a document out, which is about to change. */
  void remove(OwnDocument document) {
    byRecord.remove(document.recordId());
    inserted.remove(document.recordId());
    indexes.values().forEach(index -> index.remove(document));
  }

  /** These documents by their keys in an index. */
  Entries entries(IndexSpec index, Ground ground) {
    return indexes.computeIfAbsent(index.name(), name -> new Entries(ground.keys(index)));
  }
}
