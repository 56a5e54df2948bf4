package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.lane.Lane;
import dev.orrery.storage.NoHooks;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A thousand small collections cost little disk and few file handles. */
final class ManyCollectionsTest {
  private static final int COLLECTIONS = 1_000;
  private static final long MEGABYTE = 1 << 20;

  @TempDir Path root;

  @Test
  void aThousandCollectionsCostLittle() throws Exception {
    Path handles = Path.of("/proc/self/fd");
    Assumptions.assumeTrue(Files.isDirectory(handles), "only Linux tells open files this way");
    var options = EngineHarness.quiet().with(EngineOptions.defaults().log().withFsync(false));
    long handlesBefore = count(handles);
    try (var store = new EngineHarness(root.resolve("store"), options, new NoHooks())) {
      for (int i = 0; i < COLLECTIONS; i++) {
        store.createNamed(new Namespace("db", "empty" + i), null);
      }
      store.engine.checkpoint();
      long emptyBytes = realBytes(store.directory.resolve("partitions"));
      assertThat(emptyBytes / COLLECTIONS).isLessThan(MEGABYTE);
      for (int i = 0; i < COLLECTIONS; i++) {
        for (int id = 0; id < 3; id++) {
          var document = RawDocument.of(BsonDocument.parse("{_id: " + id + "}"));
          var collection = store.engine.find(new Namespace("db", "empty" + i));
          var insert = new WriteOperation.Insert(collection, document);
          Lane.await(store.engine.commit(WriteBatch.of(insert), new WorkMeter()));
        }
      }
      assertThat(count(handles) - handlesBefore).isLessThan(100);
      store.engine.checkpoint();
      long bytes = realBytes(store.directory.resolve("partitions"));
      assertThat(bytes / COLLECTIONS).isLessThan(MEGABYTE);
      assertThat(count(handles) - handlesBefore).isLessThan(100);
      store.reopen();
      assertThat(store.engine.replayedGroups()).isZero();
      assertThat(store.engine.collections()).hasSize(COLLECTIONS);
      assertThat(count(handles) - handlesBefore).isLessThan(100);
      var last = store.engine.find(new Namespace("db", "empty" + (COLLECTIONS - 1)));
      assertThat(last.partitions().get(0).statistics().documents()).isEqualTo(3);
    }
  }

  private static long count(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.count();
    }
  }

  /** What the files really occupy, in blocks; Java knows their lengths only. */
  private static long realBytes(Path directory) throws IOException, InterruptedException {
    if (!Files.exists(directory)) {
      return 0;
    }
    Process du = new ProcessBuilder("du", "-s", "-B1", directory.toString()).start();
    String output = new String(du.getInputStream().readAllBytes(), Charset.defaultCharset());
    assertThat(du.waitFor(1, TimeUnit.MINUTES)).isTrue();
    return Long.parseLong(output.split("\\s")[0]);
  }
}
