package dev.orrery.server.plan;

import dev.orrery.storage.IndexCursor;
import dev.orrery.storage.StoredDocument;
import dev.orrery.value.RawDocument;
import java.util.Map;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * One result on its way through a plan.
 *
 * @param entry the index entry that led to it; null when none did
 * @param stored the document as it was read; null before it is fetched
 * @param document what is left of it after a projection
 * @param arrayIndex the position of the array element by which the filter matched, or -1
 * @param metadata what the search tells of it, by the names that {@code $meta} knows
 */
record Row(
    @Nullable Entry entry,
    @Nullable StoredDocument stored,
    @Nullable RawDocument document,
    int arrayIndex,
    Map<String, BsonValue> metadata) {

  /**
   * An entry of an index.
   *
   * @param cursor stands at the entry until the scan moves on
   */
  record Entry(IndexScan scan, IndexCursor cursor, byte[] key, long recordId) {}

  static Row of(Entry entry) {
    return new Row(entry, null, null, -1, Map.of());
  }

  static Row of(@Nullable Entry entry, StoredDocument stored, int arrayIndex) {
    return new Row(entry, stored, stored.document(), arrayIndex, Map.of());
  }

  Row withDocument(RawDocument changed) {
    return new Row(entry, stored, changed, arrayIndex, metadata);
  }

  Row withMetadata(Map<String, BsonValue> found) {
    return new Row(entry, stored, document, arrayIndex, found);
  }

  Row withArrayIndex(int index) {
    return new Row(entry, stored, document, index, metadata);
  }

  PlanResult toResult() {
    return new PlanResult(document, stored, arrayIndex, metadata);
  }
}
