package dev.orrery.benchmarks.servers;

import java.io.IOException;
import java.nio.file.Path;

/** The blocks that files really occupy: a sparse file is longer than that. */
public final class DiskUsage {
  private DiskUsage() {}

  public static long bytes(Path directory) throws IOException {
    Process du = new ProcessBuilder("du", "-s", "-B1", directory.toString()).start();
    String line = du.inputReader().readLine();
    if (line == null) {
      throw new IOException("du says nothing of " + directory);
    }
    return Long.parseLong(line.substring(0, line.indexOf('\t')));
  }
}
