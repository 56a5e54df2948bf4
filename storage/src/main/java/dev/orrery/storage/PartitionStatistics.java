package dev.orrery.storage;

/** Exact counts of a physical partition: documents, their bytes, and distinct partition keys. */
public record PartitionStatistics(long documents, long bytes, long keys) {}
