package dev.orrery.server.command.diagnostic;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** How much memory the machine has and this process takes. */
final class Memory {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final int BYTES_PER_KILOBYTE = 1024;

  private Memory() {}

  static long physicalBytes() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean system
        ? system.getTotalMemorySize()
        : Runtime.getRuntime().maxMemory();
  }

  static long virtualBytes() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean system
        ? system.getCommittedVirtualMemorySize()
        : Runtime.getRuntime().totalMemory();
  }

  /** What Linux says is resident; elsewhere the heap in use. */
  static long residentBytes() {
    try (var lines = Files.lines(STATUS)) {
      return lines
          .filter(line -> line.startsWith("VmRSS:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * BYTES_PER_KILOBYTE)
          .findFirst()
          .orElse(0);
    } catch (IOException notLinux) {
      Runtime runtime = Runtime.getRuntime();
      return runtime.totalMemory() - runtime.freeMemory();
    }
  }
}
