package dev.orrery.benchmarks.metering;

import dev.orrery.benchmarks.Options;
import dev.orrery.benchmarks.report.Turns;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * How much of its throughput a server loses to the accounting of request units: point reads by
 * {@code _id} and partition key, dispatched as they come from the wire, with accounting and without
 * in turn, in one process and over the same documents. CPU time of the calling thread is compared,
 * which other work on the machine does not change much.
 */
public final class MeteringBenchmark {
  private static final int DOCUMENTS = 100_000;
  private static final int READS = 200_000;
  private static final int ROUNDS = 15;
  private static final int WARMUPS = 5;

  private static final Set<String> OPTIONS =
      Set.of("documents", "reads", "rounds", "warmups", "parts");

  private final List<String> parts;
  private final int documents;
  private final int reads;
  private final int rounds;
  private final int warmups;

  public MeteringBenchmark(Options options) {
    options.requireKnown(OPTIONS);
    this.parts = options.list("parts", "dispatch,network");
    this.documents = options.number("documents", DOCUMENTS);
    this.reads = options.number("reads", READS);
    this.rounds = options.number("rounds", ROUNDS);
    this.warmups = options.number("warmups", WARMUPS);
  }

  public void run() throws Exception {
    if (parts.contains("dispatch")) {
      dispatch();
    }
    if (parts.contains("network")) {
      new MeteringOverNetwork(documents, reads, rounds, warmups).run();
    }
  }

  private void dispatch() throws IOException {
    Path directory = Files.createTempDirectory("orrery-metering");
    try (var server = new DispatchedServer(directory)) {
      server.fill(documents);
      System.out.println("| point reads | ns of CPU each, counted | not counted | ratio |");
      System.out.println("|---|---|---|---|");
      for (var kind : DispatchedServer.Kind.values()) {
        compare(server, kind);
      }
    } finally {
      DispatchedServer.delete(directory);
    }
  }

  /** Rounds of both kinds alternate, so that what slows the machine slows both. */
  private void compare(DispatchedServer server, DispatchedServer.Kind kind) {
    var turns = new Turns(rounds, warmups);
    turns.run(isCounted -> nanosPerRead(server, kind, isCounted));
    System.out.println(turns.row(kind.title()));
  }

  private double nanosPerRead(
      DispatchedServer server, DispatchedServer.Kind kind, boolean isCounted) {
    var threads = ManagementFactory.getThreadMXBean();
    long start = threads.getCurrentThreadCpuTime();
    server.read(kind, isCounted, reads);
    return (double) (threads.getCurrentThreadCpuTime() - start) / reads;
  }
}
