package dev.orrery.server.command.diagnostic;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The last lines of the log, for {@code getLog}. */
public final class RecentLog {
  static final int LINES_MAX = 1024;

  private final Deque<String> lines = new ArrayDeque<>();
  private long total;

  public synchronized void add(String line) {
    if (lines.size() == LINES_MAX) {
      lines.removeFirst();
    }
    lines.addLast(line);
    total++;
  }

  synchronized List<String> lines() {
    return List.copyOf(lines);
  }

  /** All lines since the start, also those that are gone. */
  synchronized long total() {
    return total;
  }
}
