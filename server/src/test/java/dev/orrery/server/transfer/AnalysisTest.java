package dev.orrery.server.transfer;

import static dev.orrery.server.transfer.TransferTesting.stream;
import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.advisor.DistinctCounter;
import dev.orrery.server.transfer.analysis.CollectionSettings;
import dev.orrery.server.transfer.analysis.DryRun;
import dev.orrery.server.transfer.analysis.DuplicateFinder;
import dev.orrery.server.transfer.analysis.HeavyKeys;
import dev.orrery.server.transfer.source.CollectionMetadata;
import dev.orrery.server.transfer.source.Console;
import dev.orrery.server.transfer.source.JsonRecords;
import dev.orrery.server.transfer.source.NamespaceRules;
import dev.orrery.server.transfer.source.SingleFile;
import dev.orrery.server.transfer.source.SourceCollection;
import dev.orrery.storage.partition.EffectivePartitionKey;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawValue;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;

final class AnalysisTest {
  @Test
  void distinctValuesAreCountedToAFewPercent() {
    var random = new Random(1);
    for (int count : new int[] {0, 1, 100, 10_000, 300_000}) {
      var counter = new DistinctCounter();
      for (int i = 0; i < count; i++) {
        long hash = random.nextLong();
        counter.add(hash);
        counter.add(hash);
      }
      assertThat((double) counter.estimate())
          .isBetween(count * 0.96, Math.max(count * 1.04, count + 1));
    }
  }

  @Test
  void heavyKeysAreFoundAmongManyLightOnes() {
    var keys = new HeavyKeys(100);
    var random = new Random(2);
    for (int i = 0; i < 20_000; i++) {
      int key = i % 10 == 0 ? 7 : random.nextInt();
      keys.add(key(key), 10, () -> "key " + key);
    }
    assertThat(keys.isExact()).isFalse();
    HeavyKeys.Heavy heaviest = keys.top(1).get(0);
    assertThat(heaviest.text()).isEqualTo("key 7");
    assertThat(heaviest.bytes() + heaviest.missed()).isGreaterThanOrEqualTo(20_000);
    assertThat(keys.countAbove(5_000)).isEqualTo(1);
  }

  private static EffectivePartitionKey key(int value) {
    return EffectivePartitionKey.of(RawValue.of(new BsonInt32(value)));
  }

  @Test
  void duplicatesAreFoundInMemoryAndInFiles() throws IOException {
    for (int inMemory : new int[] {1_000_000, 64}) {
      try (var finder = new DuplicateFinder(inMemory)) {
        for (int i = 0; i < 1_000; i++) {
          finder.add(ByteBuffer.allocate(4).putInt(i == 900 ? 17 : i).array(), i);
          finder.add(new byte[] {(byte) i, 1, 2, (byte) (i >> 8), 5}, i);
          finder.add(new byte[] {(byte) i, 1, 2, (byte) (i >> 8), 5}, i); // the same document
        }
        DuplicateFinder.Duplicates found = finder.find();
        assertThat(found.count()).isEqualTo(1);
        assertThat(found.examples()).containsExactly(new long[] {17, 900});
      }
    }
  }

  @Test
  void aDryRunTellsWhatAnImportWouldMeet() throws IOException {
    var out = new ByteArrayOutputStream();
    boolean isSound =
        dryRun(
            """
            {"_id": 1, "city": "x", "n": 1, "tags": [1, 2]}
            {"_id": 2, "city": "x", "n": 1, "tags": [3, 3]}
            {"_id": 2, "city": "x", "n": 2}
            {"_id": 2, "city": "y", "n": 2}
            {"city": ["x"], "n": {"$numberLong": "bad"}}
            {"city": ["x"], "n": 5, "tags": [2]}
            {"n": 6, "p": [1], "q": [2]}
            """,
            out);
    assertThat(isSound).isFalse();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("test.c: 6 documents, ")
        .contains("largest document 58 bytes (c.json, line 1)")
        .contains("1 records are no documents and will be left out")
        .contains("2 documents have no _id and will get one")
        .contains("shard key city: 4 values, 1.5 documents each on average")
        .contains("\"x\": 3 documents")
        .contains("1 documents lack it")
        .contains("1 documents have an array there and will be refused (61)")
        .contains("1 values hold more than 100 bytes, the most a partition key can hold")
        .contains("over 5 partitions the fullest gets about")
        .contains(
            "index _id_ is unique, and 1 documents repeat a key within one city,"
                + " for example number 2 and 3")
        .contains("index n_1 is unique, and 1 documents repeat a key")
        .contains("index n_1 is unique without city")
        .contains("index everywhere will be refused: not a kind of index: geoHaystack")
        .contains("index parallel cannot take 1 documents: cannot index parallel arrays")
        .contains("Nothing was written; see above.");
  }

  private static boolean dryRun(String json, ByteArrayOutputStream out) throws IOException {
    var metadata =
        new CollectionMetadata(
            "c",
            "collection",
            new BsonDocument(),
            List.of(
                BsonDocument.parse("{v: 2, key: {place: 'geoHaystack'}, name: 'everywhere'}"),
                BsonDocument.parse("{v: 2, key: {p: 1, q: 1}, name: 'parallel'}")),
            null);
    var collection = new SourceCollection(new Namespace("test", "c"), metadata);
    var source =
        new SingleFile(
            collection, new JsonRecords(stream(json), "c.json"), new AtomicLong(), -1, "");
    var print = new PrintStream(out, true, StandardCharsets.UTF_8);
    var console = new Console(stream(""), print, print, false);
    var settings = new CollectionSettings.Given(List.of("city"), List.of("n"), List.of("50000"));
    return new DryRun(console, new NamespaceRules(null, null), settings, 100).run(source);
  }
}
