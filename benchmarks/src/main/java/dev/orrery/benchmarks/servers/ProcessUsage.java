package dev.orrery.benchmarks.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What Linux knows of a process: its CPU time and its memory. */
public final class ProcessUsage {
  /** {@code sysconf(_SC_CLK_TCK)}, which is 100 on every Linux that Java runs on. */
  private static final long NANOS_PER_TICK = 10_000_000;

  private static final int USER_TICKS = 11; // counted from the state, which follows the name
  private static final int SYSTEM_TICKS = 12;
  private static final long BYTES_PER_KB = 1024;

  private ProcessUsage() {}

  /** The time that all threads of a process have spent so far, in user and in kernel mode. */
  public static long cpuNanos(long pid) throws IOException {
    return cpuNanos(Files.readString(Path.of("/proc/" + pid + "/stat")));
  }

  static long cpuNanos(String stat) {
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    long ticks = Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[SYSTEM_TICKS]);
    return ticks * NANOS_PER_TICK;
  }

  /** The memory that a process holds that no other process shares, or that no file backs. */
  public static long residentBytes(long pid) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("\\D", "")) * BYTES_PER_KB;
      }
    }
    throw new IOException("no VmRSS of process " + pid);
  }
}
