package dev.orrery.storage;

import dev.orrery.value.RawDocument;

/**
 * A document as it was read: the partition and record it lives in, and the version that was seen. A
 * later write names this version as its precondition.
 */
public record StoredDocument(
    PartitionStore partition, long recordId, long version, RawDocument document) {}
