package dev.orrery.server.plan;

import dev.orrery.storage.StoredDocument;
import dev.orrery.value.RawDocument;

/**
 * One result of a plan.
 *
 * @param document as the query's output asks for it
 * @param stored the document as it was read: the precondition of a write to it
 * @param arrayIndex the position of the array element by which the filter matched, or -1
 */
public record PlanResult(RawDocument document, StoredDocument stored, int arrayIndex) {}
