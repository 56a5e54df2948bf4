package dev.orrery.storage;

/** How large the file system is that holds the data, and how much of it is taken, by anybody. */
public record DiskRoom(long usedBytes, long totalBytes) {}
