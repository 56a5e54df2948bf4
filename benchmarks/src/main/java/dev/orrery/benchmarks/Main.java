package dev.orrery.benchmarks;

import dev.orrery.benchmarks.metering.MeteredServer;
import dev.orrery.benchmarks.metering.MeteringBenchmark;
import dev.orrery.benchmarks.search.SearchBenchmark;
import dev.orrery.benchmarks.store.HeapBenchmark;
import dev.orrery.benchmarks.store.StoreBenchmark;
import dev.orrery.benchmarks.transaction.TransactionBenchmark;
import java.util.Arrays;
import java.util.List;

/** Runs one of the benchmarks by name; docs/benchmarks.md says what each prints. */
public final class Main {
  private static final String USAGE =
      """
      usage: benchmarks.jar run [--workload NAME,...] [--scale N] [--rounds N] [--seconds N]
                 [--connections N,...] [--client lean|driver] [--target NAME=mongodb://HOST:PORT]
                 [--servers NAME,...] [--jar FILE] [--before FILE] [--jvm OPTIONS] [--directory DIR]
                 [--results DIR] [--document FILE] [--keep RESULTS.JSON]
             benchmarks.jar store|heap [--documents N] [--durable N] [--rounds N] [--warmups N]
                 [--stores NAME,...] [--directory DIR]
             benchmarks.jar metering [--parts dispatch,network] [--documents N] [--reads N]
                 [--rounds N] [--warmups N]
             benchmarks.jar search [--parts places,words] [--points N] [--documents N]
                 [--searches N] [--rounds N] [--jar FILE] [--jvm OPTIONS] [--directory DIR]
             benchmarks.jar transactions [--parts transfers,snapshots] [--jar FILE]
                 [--connections N] [--seconds N] [--rounds N] [--warmups N] [--snapshots N]""";

  private Main() {}

  public static void main(String[] arguments) throws Exception {
    List<String> words = Arrays.asList(arguments);
    if (words.isEmpty() || words.contains("--help")) {
      System.out.println(USAGE);
      return;
    }
    try {
      run(words.get(0), Options.parse(words.subList(1, words.size())));
    } catch (Options.Refused e) {
      System.err.println(e.getMessage());
      System.err.println(USAGE);
      System.exit(2);
    }
  }

  private static void run(String name, Options options) throws Exception {
    switch (name) {
      case "run" -> new BenchmarkRun(options).run();
      case "store" -> new StoreBenchmark(options).run();
      case "metering" -> new MeteringBenchmark(options).run();
      case "search" -> new SearchBenchmark(options).run();
      case "heap" -> new HeapBenchmark(options).run();
      case "transactions" -> new TransactionBenchmark(options).run();
      case MeteredServer.NAME -> MeteredServer.run(options);
      default -> throw new Options.Refused("no benchmark " + name);
    }
  }
}
