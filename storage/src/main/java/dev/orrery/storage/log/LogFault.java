package dev.orrery.storage.log;

import java.nio.file.Path;

/** Bytes in a file of the log that are not what was written. */
public record LogFault(Path file, long offset, String what) {}
