package dev.orrery.benchmarks;

import dev.orrery.benchmarks.store.HeapBenchmark;
import dev.orrery.benchmarks.store.StoreBenchmark;
import java.util.Arrays;

/** Runs one of the benchmarks by name; docs/benchmarks.md says what each prints. */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) throws Exception {
    String name = arguments.length == 0 ? "" : arguments[0];
    var options =
        Options.parse(
            Arrays.asList(arguments).subList(Math.min(1, arguments.length), arguments.length));
    switch (name) {
      case "store" -> new StoreBenchmark(options).run();
      case "heap" -> new HeapBenchmark(options).run();
      default -> {
        System.err.println(
            "usage: benchmarks.jar store|heap [--documents=N] [--durable=N] [--rounds=N]"
                + " [--warmups=N] [--stores=NAME,...] [--parts=single,bulk,durable] [--directory=DIR] [--verbose=1]");
        System.exit(2);
      }
    }
  }
}
