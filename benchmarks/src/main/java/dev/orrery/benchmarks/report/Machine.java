package dev.orrery.benchmarks.report;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** What the benchmark ran on; without it no absolute number means anything. */
public record Machine(
    String processor,
    int processors,
    double memoryGb,
    String kernel,
    String java,
    String disk,
    double load) {

  public static Machine current(Path directory) throws IOException {
    var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    FileStore disk = Files.getFileStore(directory);
    return new Machine(
        processorName(),
        system.getAvailableProcessors(),
        (double) system.getTotalMemorySize() / (1 << 30),
        System.getProperty("os.name") + " " + System.getProperty("os.version"),
        System.getProperty("java.vendor") + " " + System.getProperty("java.version"),
        "%s, %d GB".formatted(disk.type(), disk.getTotalSpace() >> 30),
        system.getSystemLoadAverage());
  }

  private static String processorName() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/cpuinfo"))) {
      if (line.startsWith("model name")) {
        return line.substring(line.indexOf(':') + 2);
      }
    }
    return System.getProperty("os.arch");
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%d processors (%s), %.0f GB of memory, %s, JDK %s, disk %s; load average at the end %.1f",
        processors,
        processor,
        memoryGb,
        kernel,
        java,
        disk,
        load);
  }
}
