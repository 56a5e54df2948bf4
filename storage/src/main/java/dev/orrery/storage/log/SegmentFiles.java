package dev.orrery.storage.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The file system as the log sees it; tests put failures behind this. */
interface SegmentFiles {

  /** Opens for reading and writing; creates the file if {@code create}, which must not exist. */
  SegmentFile open(Path path, boolean create) throws IOException;

  void delete(Path path) throws IOException;

  List<Path> list(Path directory) throws IOException;

  /** Makes creations, renames and deletions in the directory durable. */
  void forceDirectory(Path directory) throws IOException;
}
