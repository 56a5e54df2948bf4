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
import java.util.concurrent.ExecutorService;
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
  private static final int BULK_DOCUMENTS = 1_000;

  /** So often the stores take turns while each grows to its durable documents. */
  private static final int SLICES = 20;

  /** MVStore is so slow at durable inserts that it gets fewer. */
  private static final int MVSTORE_SHARE = 20;

  private static final double MEGABYTE = 1e6;
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
  private record Result(String phase, String store, long times, double seconds, double cpuSeconds) {
    double perSecond() {
      return times / seconds;
    }

    double perCpuSecond() {
      return times / cpuSeconds;
    }

    Result plus(Result more) {
      return new Result(
          phase, store, times + more.times, seconds + more.seconds, cpuSeconds + more.cpuSeconds);
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%-16s %-8s %,12.0f/s %,12.0f/CPU s %,8.0f MB/CPU s",
          phase,
          store,
          perSecond(),
          perCpuSecond(),
          perCpuSecond() * DOCUMENT_BYTES / MEGABYTE);
    }
  }

  private final int documents;
  private final int durableInserts;
  private final int rounds;
  private final int warmUps;
  private final boolean isVerbose;
  private final List<String> chosen;
  private final List<String> parts;
  private final Path root;
  private final Documents source = new Documents(DOCUMENT_BYTES);
  private final List<Result> results = new ArrayList<>();
  private final OperatingSystemMXBean system =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  public StoreBenchmark(Options options) throws IOException {
    documents = options.number("documents", 1_000_000);
    durableInserts = options.number("durable", 1_000_000);
    rounds = options.number("rounds", 3);
    warmUps = options.number("warmups", 1);
    isVerbose = options.number("verbose", 0) > 0;
    chosen = List.of(options.text("stores", "orrery,mvstore,rocksdb").split(","));
    parts = List.of(options.text("parts", "single,bulk,durable").split(","));
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
        if (parts.contains("single")) {
          inEmptyDirectory(store, this::measure);
        }
        if (parts.contains("bulk")) {
          inEmptyDirectory(store, this::measureBulk);
        }
      }
      if (parts.contains("durable")) {
        measureDurable(stores);
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
    delete(directory);
  }

  private static void delete(Path directory) throws IOException {
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

  private void measureBulk(String name, Store store) throws Exception {
    record(
        time(
            "bulk insert",
            name,
            documents,
            () -> {
              for (long i = 0; i < documents; i += BULK_DOCUMENTS) {
                store.insertAll(i, bulk(i));
              }
              return null;
            }));
  }

  private byte[][] bulk(long first) {
    var bulk = new byte[(int) Math.min(BULK_DOCUMENTS, documents - first)][];
    for (int i = 0; i < bulk.length; i++) {
      bulk[i] = source.document(first + i);
    }
    return bulk;
  }

  private void phase(String phase, String name, Store store, int times, Work work)
      throws Exception {
    record(
        time(
            phase,
            name,
            times,
            () -> {
              for (long i = 0; i < times; i++) {
                work.run(store, i);
              }
              return null;
            }));
  }

  private Result time(String phase, String name, int times, Callable<?> work) throws Exception {
    System.gc();
    long cpu = system.getProcessCpuTime();
    long start = System.nanoTime();
    work.call();
    double seconds = (System.nanoTime() - start) / 1e9;
    awaitQuiet();
    return new Result(phase, name, times, seconds, (system.getProcessCpuTime() - cpu) / 1e9);
  }

  /** What a store left to its background threads is its own CPU time, not the next one's. */
  private void awaitQuiet() throws InterruptedException {
    long before;
    do {
      before = system.getProcessCpuTime();
      Thread.sleep(100);
    } while (system.getProcessCpuTime() - before > 20_000_000);
  }

  private void record(Result result) {
    results.add(result);
    System.err.println(result);
  }

  /** All stores are open, and take turns until each has all documents. */
  private void measureDurable(Map<String, Opener> openers) throws Exception {
    var pool = Executors.newFixedThreadPool(WRITERS);
    var stores = new TreeMap<String, Store>();
    Path directory = Files.createTempDirectory(root, "durable");
    try {
      for (Map.Entry<String, Opener> opener : openers.entrySet()) {
        Path own = Files.createDirectory(directory.resolve(opener.getKey()));
        stores.put(opener.getKey(), opener.getValue().open(own));
      }
      var sums = new TreeMap<String, Result>();
      for (int slice = 0; slice < SLICES; slice++) {
        for (Map.Entry<String, Store> store : stores.entrySet()) {
          Result part = durableSlice(store.getKey(), store.getValue(), slice, pool);
          sums.merge(store.getKey(), part, Result::plus);
          if (isVerbose) {
            System.err.println(part);
          }
        }
      }
      sums.values().forEach(this::record);
    } finally {
      stores.values().forEach(Store::close);
      pool.shutdown();
      pool.awaitTermination(1, TimeUnit.MINUTES);
    }
    delete(directory);
  }

  private Result durableSlice(String name, Store store, int slice, ExecutorService pool)
      throws Exception {
    int inserts = durableInserts / SLICES / (name.equals("mvstore") ? MVSTORE_SHARE : 1);
    long first = (long) slice * inserts;
    return time(
        "durable insert",
        name,
        inserts,
        () -> {
          var writers = new ArrayList<Future<?>>();
          for (int i = 0; i < WRITERS; i++) {
            long from = first + i;
            writers.add(pool.submit(() -> insertDurably(store, from, first + inserts)));
          }
          for (Future<?> writer : writers) {
            writer.get();
          }
          return null;
        });
  }

  private Void insertDurably(Store store, long from, long to) throws Exception {
    for (long id = from; id < to; id += WRITERS) {
      store.insertDurably(id, source.document(id));
    }
    return null;
  }

  private void printTable(List<String> stores) {
    System.out.println(
        "\n| | store | per second | per CPU second | MB per CPU second"
            + " | orrery is ahead, per second | per CPU second |\n|---|---|---|---|---|---|---|");
    for (String phase : results.stream().map(Result::phase).distinct().toList()) {
      for (String store : stores) {
        double perCpuSecond = median(of(phase, store).stream().map(Result::perCpuSecond).toList());
        System.out.printf(
            Locale.ROOT,
            "| %s | %s | %,.0f | %,.0f | %,.0f | %s | %s |%n",
            phase,
            store,
            median(of(phase, store).stream().map(Result::perSecond).toList()),
            perCpuSecond,
            perCpuSecond * DOCUMENT_BYTES / MEGABYTE,
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
