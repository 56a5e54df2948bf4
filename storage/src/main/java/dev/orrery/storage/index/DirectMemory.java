package dev.orrery.storage.index;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;

/** The memory outside the heap that buffers may take. */
final class DirectMemory {
  private DirectMemory() {}

  /** What {@code -XX:MaxDirectMemorySize} says, or as much as the heap may have. */
  static long bytesMax() {
    var machine = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    long bytes =
        machine == null ? 0 : Long.parseLong(machine.getVMOption("MaxDirectMemorySize").getValue());
    return bytes > 0 ? bytes : Runtime.getRuntime().maxMemory();
  }
}
