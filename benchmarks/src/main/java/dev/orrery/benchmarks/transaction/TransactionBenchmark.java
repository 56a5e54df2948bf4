package dev.orrery.benchmarks.transaction;

import dev.orrery.benchmarks.Options;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** What transactions cost: transfers inside and outside of them, and the memory of snapshots. */
public final class TransactionBenchmark {
  private static final int CONNECTIONS = 16;
  private static final int SECONDS = 3;
  private static final int ROUNDS = 7;
  private static final int WARMUPS = 2;
  private static final int SNAPSHOTS = 1000;

  private static final Set<String> OPTIONS =
      Set.of("parts", "jar", "connections", "seconds", "rounds", "warmups", "snapshots");

  private final List<String> parts;
  private final Transfers.Plan plan;
  private final int snapshots;

  public TransactionBenchmark(Options options) {
    options.requireKnown(OPTIONS);
    this.parts = options.list("parts", "transfers,snapshots");
    this.plan =
        new Transfers.Plan(
            Path.of(options.text("jar", "server/target/orrery.jar")),
            options.number("connections", CONNECTIONS),
            options.number("seconds", SECONDS),
            options.number("rounds", ROUNDS),
            options.number("warmups", WARMUPS));
    this.snapshots = options.number("snapshots", SNAPSHOTS);
  }

  public void run() throws Exception {
    if (parts.contains("transfers")) {
      new Transfers(plan).run();
    }
    if (parts.contains("snapshots")) {
      new SnapshotMemory(snapshots).run();
    }
  }
}
