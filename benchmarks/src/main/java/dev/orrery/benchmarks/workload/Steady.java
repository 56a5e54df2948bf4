package dev.orrery.benchmarks.workload;

import dev.orrery.benchmarks.client.Traffic;
import dev.orrery.benchmarks.servers.Target;
import java.util.function.Function;

/**
 * A load that can go on for any time.
 *
 * @param variant its parameters, in words
 * @param traffic what to send to a server, from now on
 */
record Steady(String workload, String variant, int connections, Function<Target, Traffic> traffic) {
  static String connections(int count) {
    return count == 1 ? "1 connection" : count + " connections";
  }
}
