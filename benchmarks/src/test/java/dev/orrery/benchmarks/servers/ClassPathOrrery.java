package dev.orrery.benchmarks.servers;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/** Orrery from the class path of the tests, since there may be no jar yet. */
public final class ClassPathOrrery {
  private ClassPathOrrery() {}

  /** The arguments of java, up to the main class. */
  public static List<String> java() {
    var java = new ArrayList<String>();
    for (String argument : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (argument.startsWith("--add-") || argument.startsWith("--enable-native-access")) {
        java.add(argument);
      }
    }
    java.add("-Dsun.misc.unsafe.memory.access=allow");
    java.addAll(List.of("-cp", System.getProperty("java.class.path")));
    java.add(dev.orrery.server.Main.class.getName());
    return java;
  }
}
