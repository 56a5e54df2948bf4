package dev.orrery.benchmarks.store;

import dev.orrery.benchmarks.Options;
import dev.orrery.lane.Lane;
import dev.orrery.server.store.QueryHooks;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.engine.ChronicleEngine;
import dev.orrery.storage.engine.EngineOptions;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;

/**
 * How much memory the engine needs for many small documents with two ordered indexes. Run it with
 * {@code -Xmx512m}: it ends with an error when the heap does not suffice.
 */
public final class HeapBenchmark {
  private static final int DOCUMENT_BYTES = 200;
  private static final int OVERHEAD_BYTES = 50;
  private static final int BATCH_DOCUMENTS = 100;
  private static final double MEGABYTE = 1 << 20;

  private final int documents;
  private final Path root;

  public HeapBenchmark(Options options) throws IOException {
    documents = options.number("documents", 5_000_000);
    root = Files.createTempDirectory("orrery-benchmark");
  }

  public void run() throws IOException {
    try (var engine = ChronicleEngine.open(root, EngineOptions.defaults(), new QueryHooks())) {
      var indexes =
          List.of(
              IndexSpec.idIndex(),
              IndexSpec.of(BsonDocument.parse("{key: {a: 1}, name: 'a_1'}")),
              IndexSpec.of(BsonDocument.parse("{key: {b: -1}, name: 'b_-1'}")));
      var collection =
          engine.create(
              new Namespace("benchmark", "small"),
              new CollectionInfo.Creation(
                  new BsonDocument(), null, indexes, 1, new BsonDocument()));
      var random = new Random(5);
      for (int id = 0; id < documents; id += BATCH_DOCUMENTS) {
        var batch = new ArrayList<WriteOperation>();
        for (int i = id; i < Math.min(documents, id + BATCH_DOCUMENTS); i++) {
          batch.add(new WriteOperation.Insert(collection, document(i, random)));
        }
        Lane.await(
            engine.commit(new WriteBatch(batch, WriteBatch.OnFailure.STOP), new WorkMeter()));
      }
      print(engine.diskBytes());
    } finally {
      try (Stream<Path> files = Files.walk(root)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private static RawDocument document(int id, Random random) {
    byte[] filler = new byte[DOCUMENT_BYTES - OVERHEAD_BYTES];
    return RawDocument.of(
        new BsonDocument("_id", new BsonInt32(id))
            .append("a", new BsonInt32(random.nextInt()))
            .append("b", new BsonInt64(random.nextLong()))
            .append("x", new BsonBinary(filler)));
  }

  private void print(long diskBytes) throws IOException {
    System.gc();
    var heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
    System.out.printf(
        Locale.ROOT,
        "%,d documents of %d bytes, two ordered indexes besides _id%n"
            + "heap in use after a collection: %.0f MB of at most %.0f MB%n",
        documents,
        DOCUMENT_BYTES,
        heap.getUsed() / MEGABYTE,
        heap.getMax() / MEGABYTE);
    for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
      System.out.printf(
          Locale.ROOT, "%s buffers: %.0f MB%n", pool.getName(), pool.getMemoryUsed() / MEGABYTE);
    }
    System.out.printf(Locale.ROOT, "files: %.0f MB%n", diskBytes / MEGABYTE);
    Path status = Path.of("/proc/self/status");
    if (Files.exists(status)) {
      try (Stream<String> lines = Files.lines(status)) {
        lines
            .filter(line -> line.matches("(VmHWM|RssAnon|RssFile):.*"))
            .forEach(System.out::println);
      }
    }
  }
}
