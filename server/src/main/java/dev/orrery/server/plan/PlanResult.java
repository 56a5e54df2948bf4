package dev.orrery.server.plan;

import dev.orrery.storage.StoredDocument;
import dev.orrery.value.RawDocument;
import java.util.Map;
import org.bson.BsonValue;

/**
 * One result of a plan.
 *
 * @param document as the query's output asks for it
 * @param stored the document as it was read: the precondition of a write to it
 * @param arrayIndex the position of the array element by which the filter matched, or -1
 * @param metadata what the search tells of it, by the names that {@code $meta} knows
 */
public record PlanResult(
    RawDocument document, StoredDocument stored, int arrayIndex, Map<String, BsonValue> metadata) {
  public PlanResult(RawDocument document, StoredDocument stored, int arrayIndex) {
    this(document, stored, arrayIndex, Map.of());
  }
}
