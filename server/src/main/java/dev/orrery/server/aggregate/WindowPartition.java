package dev.orrery.server.aggregate;

import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * The documents of one partition of $setWindowFields, in their order.
 *
 * @param sortPath the field they are sorted by, if it is one; else null
 */
record WindowPartition(List<BsonDocument> documents, @Nullable List<String> sortPath, Run run) {
  int size() {
    return documents.size();
  }

  /** What the document at that place is sorted by; null if it is missing. */
  @Nullable BsonValue sortValue(int place) {
    return Documents.at(documents.get(place), sortPath);
  }
}
