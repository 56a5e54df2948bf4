package dev.orrery.benchmarks.workload;

import dev.orrery.benchmarks.servers.ProcessUsage;
import dev.orrery.benchmarks.servers.Target;
import java.io.IOException;

/**
 * The CPU time that a server has spent so far; nothing for one that runs elsewhere.
 *
 * @param nanos of all its threads
 * @param compilerNanos the part of them that its compilers had
 */
record Spent(long nanos, long compilerNanos) {
  static Spent by(Target target) throws IOException {
    if (target.process() == null) {
      return new Spent(0, 0);
    }
    long pid = target.process().pid();
    return new Spent(ProcessUsage.cpuNanos(pid), ProcessUsage.compilerNanos(pid));
  }

  /** How much of what was spent since then went to the compilers, from 0 to 1. */
  double compilerShareSince(Spent before) {
    long compiler = compilerNanos - before.compilerNanos;
    if (compiler < 0) {
      return 1; // one of their threads has ended, so they were busy a moment ago
    }
    return (double) compiler / Math.max(1, nanos - before.nanos);
  }
}
