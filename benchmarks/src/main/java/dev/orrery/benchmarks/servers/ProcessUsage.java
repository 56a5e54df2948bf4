package dev.orrery.benchmarks.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What Linux knows of a process: its CPU time and its memory. */
public final class ProcessUsage {
  /** {@code sysconf(_SC_CLK_TCK)}, which is 100 on every Linux that Java runs on. */
  private static final long NANOS_PER_TICK = 10_000_000;

  /** As HotSpot calls its threads; Linux keeps fifteen characters of a name. */
  private static final Pattern COMPILER = Pattern.compile("^\\d+ \\(C[12] Compiler");

  private static final int USER_TICKS = 11; // counted from the state, which follows the name
  private static final int SYSTEM_TICKS = 12;
  private static final long BYTES_PER_KB = 1024;

  private ProcessUsage() {}

  /** The time that all threads of a process have spent so far, in user and in kernel mode. */
  public static long cpuNanos(long pid) throws IOException {
    return cpuNanos(Files.readString(Path.of("/proc/" + pid + "/stat")));
  }

  /** The part of it that the compilers of a JVM have spent, as far as their threads live. */
  public static long compilerNanos(long pid) throws IOException {
    long nanos = 0;
    try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
      for (Path thread : threads.toList()) {
        nanos += compilerNanos(thread.resolve("stat"));
      }
    }
    return nanos;
  }

  private static long compilerNanos(Path stat) throws IOException {
    try {
      String thread = Files.readString(stat);
      return COMPILER.matcher(thread).find() ? cpuNanos(thread) : 0;
    } catch (NoSuchFileException e) {
      return 0; // it ended meanwhile
    }
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
