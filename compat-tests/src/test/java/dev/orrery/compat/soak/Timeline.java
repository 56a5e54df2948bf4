package dev.orrery.compat.soak;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What happened when, in a file, for whoever asks later why a run failed. */
final class Timeline implements AutoCloseable {
  private final long startNanos = System.nanoTime();
  private final PrintWriter out;

  Timeline(Path file) {
    try {
      out = new PrintWriter(Files.newBufferedWriter(file), true);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  synchronized void add(String event) {
    out.printf("%10.3f %s%n", (System.nanoTime() - startNanos) / 1e9, event);
  }

  @Override
  public synchronized void close() {
    out.close();
  }
}
