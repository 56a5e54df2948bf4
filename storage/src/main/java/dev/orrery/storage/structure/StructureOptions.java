package dev.orrery.storage.structure;

/**
 * How the structures of partitions are kept.
 *
 * @param isDurable whether files outlive a crash of the machine
 * @param heapEntries what a map of keys holds on the heap, before there is a file
 * @param bucketEntries what it holds in one file, before there are two
 */
public record StructureOptions(boolean isDurable, int heapEntries, int bucketEntries) {}
