package dev.orrery.server.transfer.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.server.transfer.TransferTesting;
import dev.orrery.server.transfer.export.DirectoryWriter;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DumpDirectoryTest {
  private static final SourceCollection ORDERS =
      new SourceCollection(
          new Namespace("shop", "orders/ü"),
          new CollectionMetadata(
              "orders/ü",
              "collection",
              BsonDocument.parse("{capped: true, size: 4096}"),
              List.of(BsonDocument.parse("{v: 2, key: {_id: 1}, name: '_id_'}")),
              "00112233445566778899aabbccddeeff"));
  private static final SourceCollection VIEW =
      new SourceCollection(
          new Namespace("shop", "view"),
          new CollectionMetadata(
              "view",
              "view",
              BsonDocument.parse("{viewOn: 'orders', pipeline: []}"),
              List.of(),
              null));

  @TempDir private Path directory;

  private void write(boolean isPacked, SourceCollection collection, List<BsonDocument> documents)
      throws IOException {
    try (var writer = new DirectoryWriter(directory, isPacked)) {
      writer.begin(List.of(collection));
      writer.begin(collection);
      for (BsonDocument document : documents) {
        writer.write(RawDocument.of(document).toByteArray());
      }
      writer.end(collection);
    }
  }

  @Test
  void whatIsWrittenIsReadAgainPackedOrNot() throws IOException {
    for (boolean isPacked : new boolean[] {false, true}) {
      List<BsonDocument> documents = TransferTesting.random(1, 50);
      write(isPacked, ORDERS, documents);
      write(isPacked, VIEW, List.of());
      var dump = DumpDirectory.open(directory, null, namespace -> true);
      assertThat(dump.collections()).containsExactly(ORDERS, VIEW);
      var kept = new TransferTesting.Kept();
      dump.read(kept);
      assertThat(kept.documents).hasSize(1).containsEntry("shop.orders/ü", documents);
      assertThat(kept.ended).containsExactly("shop.orders/ü", "shop.view");
      assertThat(dump.bytesRead()).isEqualTo(dump.bytesTotal());
      try (var files = Files.list(directory.resolve("shop"))) {
        for (Path file : files.toList()) {
          assertThat(file.toString().endsWith(".gz")).isEqualTo(isPacked);
          Files.delete(file);
        }
      }
    }
  }

  @Test
  void metadataAreThoseOfMongodumpToTheByte() throws IOException {
    write(false, ORDERS, List.of());
    assertThat(Files.readString(directory.resolve("shop/orders%2F%C3%BC.metadata.json")))
        .isEqualTo(
            "{\"options\":{\"capped\":true,\"size\":{\"$numberInt\":\"4096\"}},"
                + "\"indexes\":[{\"v\":{\"$numberInt\":\"2\"},"
                + "\"key\":{\"_id\":{\"$numberInt\":\"1\"}},\"name\":\"_id_\"}],"
                + "\"uuid\":\"00112233445566778899aabbccddeeff\","
                + "\"collectionName\":\"orders/ü\",\"type\":\"collection\"}");
    assertThat(VIEW.metadata().toJson())
        .isEqualTo(
            "{\"options\":{\"viewOn\":\"orders\",\"pipeline\":[]},\"indexes\":[],"
                + "\"collectionName\":\"view\",\"type\":\"view\"}");
  }

  @Test
  void namesThatAreTooLongAreCutAndComeBackFromTheMetadata() throws IOException {
    String name = "long".repeat(60) + "/";
    assertThat(DumpNames.file(name)).hasSize(238).contains("%24");
    write(false, TransferTesting.collection("shop", name), TransferTesting.random(1, 2));
    var dump = DumpDirectory.open(directory, null, namespace -> true);
    assertThat(dump.collections())
        .extracting(collection -> collection.namespace().collection())
        .containsExactly(name);
    var kept = new TransferTesting.Kept();
    dump.read(kept);
    assertThat(kept.documents.get("shop." + name)).hasSize(2);
  }

  @Test
  void aDirectoryOfOneDatabaseNeedsItsName() throws IOException {
    write(false, ORDERS, List.of());
    Path one = directory.resolve("shop");
    assertThatThrownBy(() -> DumpDirectory.open(one, null, namespace -> true))
        .hasMessageContaining("--db NAME");
    assertThat(DumpDirectory.open(one, "other", namespace -> true).collections())
        .extracting(collection -> collection.namespace().toString())
        .containsExactly("other.orders/ü");
  }

  @Test
  void emptyDirectoriesAndBrokenMetadataAreRefused() throws IOException {
    assertThatThrownBy(() -> DumpDirectory.open(directory, null, namespace -> true))
        .hasMessageContaining("There is nothing to import in " + directory);
    Files.createDirectories(directory.resolve("shop"));
    Files.writeString(directory.resolve("shop/a.metadata.json"), "{\"indexes\": 5}");
    assertThatThrownBy(() -> DumpDirectory.open(directory, null, namespace -> true))
        .isInstanceOf(TransferException.class)
        .hasMessageContaining("a.metadata.json is no metadata of a dump");
  }

  @Test
  void bucketsOfTimeSeriesAreNotLostInSilence() throws IOException {
    write(false, TransferTesting.collection("shop", "system.buckets.weather"), List.of());
    write(false, ORDERS, List.of());
    var rules = new NamespaceRules(null, null);
    assertThat(DumpDirectory.open(directory, null, rules::accept).warnings())
        .singleElement()
        .asString()
        .startsWith("shop.system.buckets.weather holds a time series packed in buckets");
  }

  @Test
  void namesOfFilesAndCollectionsAreEachOthersInverse() {
    for (String name : List.of("a", "a.b", "a b/c%d", "ü€", "x:y@z&=+$", "100%", "%41")) {
      assertThat(DumpNames.collection(DumpNames.file(name))).isEqualTo(name);
    }
    assertThat(DumpNames.file("a b/%ü:$")).isEqualTo("a%20b%2F%25%C3%BC:$");
  }
}
