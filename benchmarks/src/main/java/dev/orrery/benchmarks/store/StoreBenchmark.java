package dev.orrery.benchmarks.store;

import com.sun.management.OperatingSystemMXBean;
import dev.orrery.benchmarks.Options;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Inserts, reads, updates and deletes per second and per CPU second, of the embedded engine, H2's
 * MVStore and RocksDB. The stores take turns, several rounds long, so that what else the machine
 * does hits them all; what counts is the ratio within a round.
 */
public final class StoreBenchmark {
  private static final int DOCUMENT_BYTES = 1024;
  private static final int WRITERS = 64;
  private static final String OURS = "orrery";

  /** Opens a store in an empty directory. */
  private interface Opener {
    Store open(Path directory) throws Exception;
  }

  /** Something that is done a number of times. */
  private interface Work {
    void run(Store store, long id) throws Exception;
  }

  /** What one phase of one round came to. */
  private record Result(String phase, String store, double perSecond, double perCpuSecond) {}

  private final int documents;
  private final int durableInserts;
  private final int rounds;
  private final int warmUps;
  private final List<String> chosen;
  private final Path root;
  private final Documents source = new Documents(DOCUMENT_BYTES);
  private final List<Result> results = new ArrayList<>();
  private final OperatingSystemMXBean system =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  public StoreBenchmark(Options options) throws IOException {
    documents = options.number("documents", 1_000_000);
    durableInserts = options.number("durable", 50_000);
    rounds = options.number("rounds", 3);
    warmUps = options.number("warmups", 1);
    chosen = List.of(options.text("stores", "orrery,mvstore,rocksdb").split(","));
    String directory = options.text("directory", null);
    root =
        directory == null
            ? Files.createTempDirectory("orrery-benchmark")
            : Files.createDirectories(Path.of(directory));
  }

  public void run() throws Exception {
    System.out.printf(
        "%d documents of %d bytes, %d durable inserts by %d writers, %d rounds, %d processors%n",
        documents,
        DOCUMENT_BYTES,
        durableInserts,
        WRITERS,
        rounds,
        Runtime.getRuntime().availableProcessors());
    var stores = new TreeMap<String, Opener>();
    stores.put(OURS, OrreryStore::new);
    stores.put("mvstore", MvStoreStore::new);
    stores.put("rocksdb", RocksStore::new);
    stores.keySet().retainAll(chosen);
    for (int round = 0; round < warmUps + rounds; round++) {
      if (round == warmUps) {
        results.clear(); // those before were for the compiler
      }
      for (Map.Entry<String, Opener> store : stores.entrySet()) {
        inEmptyDirectory(store, this::measure);
        inEmptyDirectory(store, this::measureDurable);
      }
    }
    printTable(stores.keySet().stream().toList());
  }

  /** Measures one store. */
  private interface Measurement {
    void run(String name, Store store) throws Exception;
  }

  private void inEmptyDirectory(Map.Entry<String, Opener> opener, Measurement measurement)
      throws Exception {
    Path directory = Files.createTempDirectory(root, opener.getKey());
    try (Store store = opener.getValue().open(directory)) {
      measurement.run(opener.getKey(), store);
    }
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private void measure(String name, Store store) throws Exception {
    var random = new SplittableRandom(7);
    int some = documents / 2;
    phase("insert", name, store, documents, (target, i) -> target.insert(i, source.document(i)));
    phase("read", name, store, documents, (target, i) -> read(target, random.nextInt(documents)));
    phase(
        "update",
        name,
        store,
        some,
        (target, i) -> {
          long id = random.nextInt(documents);
          target.update(id, source.document(id));
        });
    phase("delete", name, store, some, (target, i) -> target.delete(2 * i));
  }

  private static void read(Store store, long id) throws Exception {
    byte[] found = store.read(id);
    if (found == null || found.length != DOCUMENT_BYTES) {
      throw new IllegalStateException("no document " + id);
    }
  }

  private void phase(String phase, String name, Store store, int times, Work work)
      throws Exception {
    time(
        phase,
        name,
        times,
        () -> {
          for (long i = 0; i < times; i++) {
            work.run(store, i);
          }
          return null;
        });
  }

  private void time(String phase, String name, int times, Callable<?> work) throws Exception {
    System.gc();
    long cpu = system.getProcessCpuTime();
    long start = System.nanoTime();
    work.call();
    double seconds = (System.nanoTime() - start) / 1e9;
    double cpuSeconds = (system.getProcessCpuTime() - cpu) / 1e9;
    results.add(new Result(phase, name, times / seconds, times / cpuSeconds));
    System.err.printf(
        Locale.ROOT,
        "%-16s %-8s %,12.0f/s %,12.0f/CPU s%n",
        phase,
        name,
        times / seconds,
        times / cpuSeconds);
  }

  private void measureDurable(String name, Store store) throws Exception {
    var pool = Executors.newFixedThreadPool(WRITERS);
    try {
      time(
          "durable insert",
          name,
          durableInserts,
          () -> {
            var writers = new ArrayList<Future<?>>();
            for (int i = 0; i < WRITERS; i++) {
              int writer = i;
              writers.add(pool.submit(() -> insertDurably(store, writer)));
            }
            for (Future<?> writer : writers) {
              writer.get();
            }
            return null;
          });
    } finally {
      pool.shutdown();
      pool.awaitTermination(1, TimeUnit.MINUTES);
    }
  }

  private Void insertDurably(Store store, int writer) throws Exception {
    for (long id = writer; id < durableInserts; id += WRITERS) {
      store.insertDurably(id, source.document(id));
    }
    return null;
  }

  private void printTable(List<String> stores) {
    System.out.println(
        "\n| | store | per second | per CPU second | orrery is ahead, per second"
            + " | per CPU second |\n|---|---|---|---|---|---|");
    for (String phase : List.of("insert", "read", "update", "delete", "durable insert")) {
      for (String store : stores) {
        System.out.printf(
            Locale.ROOT,
            "| %s | %s | %,.0f | %,.0f | %s | %s |%n",
            phase,
            store,
            median(of(phase, store).stream().map(Result::perSecond).toList()),
            median(of(phase, store).stream().map(Result::perCpuSecond).toList()),
            ratios(phase, store, false),
            ratios(phase, store, true));
      }
    }
  }

  private List<Result> of(String phase, String store) {
    return results.stream()
        .filter(one -> one.phase().equals(phase) && one.store().equals(store))
        .toList();
  }

  /** The median of our results over theirs, round by round, with the least and the greatest. */
  private String ratios(String phase, String store, boolean isPerCpu) {
    if (store.equals(OURS)) {
      return "";
    }
    List<Result> ours = of(phase, OURS);
    List<Result> theirs = of(phase, store);
    var ratios = new ArrayList<Double>();
    for (int i = 0; i < ours.size(); i++) {
      ratios.add(
          isPerCpu
              ? ours.get(i).perCpuSecond() / theirs.get(i).perCpuSecond()
              : ours.get(i).perSecond() / theirs.get(i).perSecond());
    }
    return String.format(
        Locale.ROOT,
        "%.2f x (%.2f to %.2f)",
        median(ratios),
        ratios.stream().min(Comparator.naturalOrder()).orElseThrow(),
        ratios.stream().max(Comparator.naturalOrder()).orElseThrow());
  }

  private static double median(List<Double> values) {
    return values.stream().sorted().toList().get(values.size() / 2);
  }
}
