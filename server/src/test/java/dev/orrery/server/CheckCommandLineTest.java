package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.lane.Lane;
import dev.orrery.server.store.QueryHooks;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import dev.orrery.storage.catalog.CollectionInfo;
import dev.orrery.storage.catalog.IndexSpec;
import dev.orrery.storage.engine.ChronicleEngine;
import dev.orrery.storage.engine.EngineOptions;
import dev.orrery.storage.log.LogOptions;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CheckCommandLineTest {
  @TempDir private Path directory;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int check(String... more) {
    var main =
        new Main(
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8));
    var arguments = new ArrayList<>(List.of("check", "--data", directory.toString()));
    arguments.addAll(List.of(more));
    return main.run(Map.of(), arguments.toArray(String[]::new));
  }

  private ChronicleEngine open() {
    var log = LogOptions.defaults().withFsync(false).withSegmentBytes(64 << 10);
    return ChronicleEngine.open(directory, EngineOptions.defaults().with(log), new QueryHooks());
  }

  private void fill(ChronicleEngine engine) {
    fill(engine, 200, 1_000);
  }

  private void fill(ChronicleEngine engine, int documents, int bytes) {
    var creation =
        new CollectionInfo.Creation(
            new BsonDocument(), null, List.of(IndexSpec.idIndex()), 1, new BsonDocument());
    var store = engine.create(new Namespace("shop", "orders"), creation);
    var batch = new ArrayList<WriteOperation>();
    for (int i = 1; i <= documents; i++) {
      var document =
          new BsonDocument("_id", new BsonInt32(i)).append("x", new BsonString("x".repeat(bytes)));
      batch.add(new WriteOperation.Insert(store, RawDocument.of(document)));
      if (i % 20 == 0) {
        Lane.await(
            engine.commit(new WriteBatch(batch, WriteBatch.OnFailure.STOP), new WorkMeter()));
        batch.clear();
      }
    }
  }

  @Test
  void aSoundStoreIsFoundSound() {
    try (var engine = open()) {
      fill(engine);
    }
    assertThat(check()).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("shop.orders: 200 documents, 1 partitions, 1 indexes")
        .endsWith("The store is sound.\n");
    assertThat(err.size()).isZero();
  }

  @Test
  void aFlippedByteInASealedSegmentIsReportedWithFileAndOffset() throws IOException {
    try (var engine = open()) {
      fill(engine);
    }
    Path segment = segments().get(1);
    byte[] bytes = Files.readAllBytes(segment);
    bytes[30_000] ^= 1;
    Files.write(segment, bytes);
    assertThat(check()).isEqualTo(Main.FAILED);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .containsPattern(segment + " at offset \\d+: bad checksum");
    assertThat(Files.readAllBytes(segment)).isEqualTo(bytes);
  }

  @Test
  void aLostIndexIsReported() throws IOException {
    try (var engine = open()) {
      fill(engine);
    }
    Path index = directory.resolve("partitions").resolve("1-0").resolve("index-0");
    Files.delete(index);
    assertThat(check()).isEqualTo(Main.FAILED);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains(index.toString());
  }

  @Test
  void aRepairMakesALostIndexAnew() throws IOException {
    try (var engine = open()) {
      fill(engine);
    }
    Path index = directory.resolve("partitions").resolve("1-0").resolve("index-0");
    Files.delete(index);
    assertThat(check("--repair")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("repaired: partition 0 of shop.orders: " + index)
        .endsWith("The store is sound.\n");
    assertThat(check()).isZero();
  }

  @Test
  void aRepairMakesADamagedIndexAnew() throws IOException {
    try (var engine = open()) {
      fill(engine, 20_000, 1); // so many that they are not all kept in memory
    }
    Path index = directory.resolve("partitions").resolve("1-0").resolve("index-0");
    byte[] bytes = Files.readAllBytes(index);
    bytes[5 * 4096 + 300] ^= 1;
    Files.write(index, bytes);
    assertThat(check("--repair")).as(err.toString(StandardCharsets.UTF_8)).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("repaired: ")
        .endsWith("The store is sound.\n");
    assertThat(check()).isZero();
  }

  @Test
  void aRepairGivesUpWhatTheLogCannotGiveBack() throws IOException {
    try (var engine = open()) {
      fill(engine);
    }
    Path segment = segments().get(1);
    byte[] bytes = Files.readAllBytes(segment);
    bytes[30_000] ^= 1;
    Files.write(segment, bytes);
    assertThat(check()).isEqualTo(Main.FAILED);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("orrery salvage");
    assertThat(Files.readAllBytes(segment)).as("a check changes nothing").isEqualTo(bytes);
    assertThat(check("--repair")).as(err.toString(StandardCharsets.UTF_8)).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("given up: record ", segment + " at offset ")
        .endsWith("The store is sound.\n");
    assertThat(segment).as("the rest of it moved").doesNotExist();
    assertThat(check()).isZero();
  }

  @Test
  void aStoreThatIsOpenIsRefused() {
    try (var engine = open()) {
      fill(engine);
      assertThat(check()).isEqualTo(Main.FAILED);
    }
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("is in use");
  }

  @Test
  void anEmptyDirectoryIsNoStore() {
    assertThat(check()).isEqualTo(Main.FAILED);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("holds no store");
  }

  private List<Path> segments() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("log"))) {
      return files.filter(path -> path.toString().endsWith(".log")).sorted().toList();
    }
  }
}
