package dev.orrery.compat.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What a process takes: live bytes on the heap, open handles, threads. */
record Footprint(long heapBytes, Handles handles, int threads) {
  /** Idle threads of pools go after a minute, so some are there that were not before. */
  private static final int THREADS_MARGIN = 24;

  private static final long HEAP_MARGIN = 64L << 20;
  private static final int HANDLES_MARGIN = 16;

  /**
   * Open handles by kind. Files of the store come and go with segments and partitions; sockets and
   * files that were deleted must not pile up.
   */
  record Handles(int sockets, int deleted, int others) {}

  static Handles handles(Path process) throws IOException {
    int sockets = 0;
    int deleted = 0;
    int others = 0;
    try (Stream<Path> files = Files.list(process.resolve("fd"))) {
      for (Path file : files.toList()) {
        String target = target(file);
        if (target.startsWith("socket:")) {
          sockets++;
        } else if (target.endsWith("(deleted)")) {
          deleted++;
        } else {
          others++;
        }
      }
    }
    return new Handles(sockets, deleted, others);
  }

  private static String target(Path link) {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (IOException closedMeanwhile) {
      return "";
    }
  }

  /** What has grown beyond its margin since an earlier look; empty when nothing has. */
  List<String> growthSince(Footprint before, int filesMax) {
    return Stream.of(
            grown("live heap bytes", heapBytes, before.heapBytes + HEAP_MARGIN),
            grown("sockets", handles.sockets, before.handles.sockets + HANDLES_MARGIN),
            grown("deleted files", handles.deleted, before.handles.deleted + HANDLES_MARGIN),
            grown("open files", handles.others, Math.max(filesMax, before.handles.others)),
            grown("threads", threads, before.threads + THREADS_MARGIN))
        .filter(text -> !text.isEmpty())
        .toList();
  }

  private static String grown(String what, long now, long allowed) {
    return now <= allowed ? "" : "%s: %d, allowed are %d".formatted(what, now, allowed);
  }
}
