package dev.orrery.storage.upkeep;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.locks.LockSupport;

/** The real clocks. Made when they are first needed: a start has no time for management beans. */
public final class CpuTimes implements Pace.Surroundings {
  private final OperatingSystemMXBean process =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public long ownNanos() {
    return threads.getCurrentThreadCpuTime();
  }

  @Override
  public long processNanos() {
    return process.getProcessCpuTime();
  }

  @Override
  public void sleep(long nanos) {
    LockSupport.parkNanos(nanos);
  }
}
