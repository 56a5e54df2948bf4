package dev.orrery.server.transfer.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.server.transfer.TransferTesting;
import dev.orrery.server.transfer.export.ArchiveWriter;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

final class ArchiveTest {
  private static final SourceCollection FIRST = TransferTesting.collection("shop", "first");
  private static final SourceCollection SECOND = TransferTesting.collection("shop", "second");

  private static Archive open(byte[] bytes) throws IOException {
    return open(bytes, namespace -> true);
  }

  private static Archive open(byte[] bytes, java.util.function.Predicate<Namespace> wanted)
      throws IOException {
    return Archive.open(
        new ByteArrayInputStream(bytes), "a.archive", new AtomicLong(), bytes.length, wanted);
  }

  private static byte[] write(List<BsonDocument> first, List<BsonDocument> second)
      throws IOException {
    var out = new ByteArrayOutputStream();
    try (var writer = new ArchiveWriter(out, "7.0.14", "test")) {
      writer.begin(List.of(FIRST, SECOND));
      writeAll(writer, FIRST, first);
      writeAll(writer, SECOND, second);
    }
    return out.toByteArray();
  }

  private static void writeAll(
      ArchiveWriter writer, SourceCollection collection, List<BsonDocument> documents)
      throws IOException {
    writer.begin(collection);
    for (BsonDocument document : documents) {
      writer.write(RawDocument.of(document).toByteArray());
    }
    writer.end(collection);
  }

  @Test
  void whatIsWrittenIsReadAgain() throws IOException {
    for (int seed = 0; seed < 20; seed++) {
      List<BsonDocument> first = TransferTesting.random(seed, seed * 3);
      List<BsonDocument> second = TransferTesting.random(seed + 100, 5);
      Archive archive = open(write(first, second));
      assertThat(archive.collections()).containsExactly(FIRST, SECOND);
      var kept = new TransferTesting.Kept();
      archive.read(kept);
      assertThat(kept.documents.getOrDefault("shop.first", List.of())).isEqualTo(first);
      assertThat(kept.documents.get("shop.second")).isEqualTo(second);
      assertThat(kept.ended).containsExactly("shop.first", "shop.second");
    }
  }

  @Test
  void theBytesAreThoseOfTheFormat() throws IOException {
    String hex = HexFormat.of().formatHex(write(List.of(), List.of()));
    assertThat(hex).startsWith("6de29981").endsWith("ffffffff");
    // The checksum of nothing is zero, and the header of an end is db, collection, EOF, CRC.
    assertThat(hex)
        .contains(
            HexFormat.of().formatHex("EOF\0\1".getBytes(StandardCharsets.US_ASCII))
                + "12435243000000000000000000"
                + "00ffffffff");
  }

  @Test
  void theChecksumIsCrc64OfEcma() {
    var checksum = new Crc64();
    byte[] digits = "123456789".getBytes(StandardCharsets.US_ASCII);
    checksum.update(digits, 0, 4);
    checksum.update(digits, 4, 5);
    assertThat(Long.toHexString(checksum.value())).isEqualTo("995dc9bbdf1939fa");
    var whole = new Crc64();
    whole.update(digits, 0, 9);
    assertThat(whole.value()).isEqualTo(checksum.value());
  }

  @Test
  void blocksOfSeveralCollectionsMayAlternate() throws IOException {
    List<BsonDocument> documents = TransferTesting.random(9, 4);
    var kept = new TransferTesting.Kept();
    open(interleaved(documents)).read(kept);
    assertThat(kept.documents.get("shop.first")).isEqualTo(documents.subList(0, 2));
    assertThat(kept.documents.get("shop.second")).isEqualTo(documents.subList(2, 4));
  }

  private static byte[] interleaved(List<BsonDocument> documents) throws IOException {
    var out = new ByteArrayOutputStream();
    byte[] end = {-1, -1, -1, -1};
    out.write(new byte[] {0x6d, (byte) 0xe2, (byte) 0x99, (byte) 0x81});
    write(out, ArchiveFormat.prelude("7.0.14", "test"));
    write(out, ArchiveFormat.metadata(FIRST));
    write(out, ArchiveFormat.metadata(SECOND));
    out.write(end);
    for (int i = 0; i < 4; i++) {
      write(out, ArchiveFormat.header(i % 2 == 0 ? FIRST : SECOND, false, 0));
      write(out, documents.get(i / 2 + i % 2 * 2));
      out.write(end);
    }
    write(out, ArchiveFormat.header(SECOND, true, checksum(documents.subList(2, 4))));
    out.write(end);
    write(out, ArchiveFormat.header(FIRST, true, checksum(documents.subList(0, 2))));
    out.write(end);
    return out.toByteArray();
  }

  private static void write(ByteArrayOutputStream out, BsonDocument document) throws IOException {
    out.write(RawDocument.of(document).toByteArray());
  }

  private static long checksum(List<BsonDocument> documents) throws IOException {
    var checksum = new Crc64();
    byte[] bytes = TransferTesting.bytes(documents);
    checksum.update(bytes, 0, bytes.length);
    return checksum.value();
  }

  @Test
  void collectionsThatAreNotWantedAreLeftOut() throws IOException {
    List<BsonDocument> documents = TransferTesting.random(5, 3);
    Archive archive =
        open(write(documents, documents), namespace -> namespace.collection().equals("second"));
    assertThat(archive.collections()).containsExactly(SECOND);
    var kept = new TransferTesting.Kept();
    archive.read(kept);
    assertThat(kept.documents).containsOnlyKeys("shop.second");
    assertThat(kept.ended).containsExactly("shop.second");
  }

  @Test
  void otherFilesAreRefused() {
    assertThatThrownBy(() -> open("{}".repeat(10).getBytes(StandardCharsets.UTF_8)))
        .hasMessageStartingWith("a.archive is no archive of mongodump");
    assertThatThrownBy(() -> open(new byte[0])).hasMessageContaining("no archive");
  }

  @Test
  void aWrongChecksumIsRefusedAndNamesTheCollection() throws IOException {
    byte[] bytes =
        write(List.of(new BsonDocument("name", new org.bson.BsonString("Anna"))), List.of());
    int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("Anna");
    bytes[at] = 'H';
    assertThatThrownBy(() -> open(bytes).read(new TransferTesting.Kept()))
        .isInstanceOf(TransferException.class)
        .hasMessageStartingWith("a.archive: the checksum of shop.first is wrong")
        .hasMessageContaining("--drop");
  }

  @Test
  void anArchiveThatIsCutAnywhereIsRefused() throws IOException {
    byte[] bytes = write(TransferTesting.random(6, 3), TransferTesting.random(7, 3));
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> open(cut).read(new TransferTesting.Kept()))
          .isInstanceOf(TransferException.class);
    }
  }

  @Test
  void flippedBytesAreNeverTakenForDocuments() throws IOException {
    byte[] bytes = write(TransferTesting.random(8, 20), List.of());
    var random = new Random(8);
    for (int i = 0; i < 1_000; i++) {
      byte[] damaged = bytes.clone();
      // Behind the prelude; a flipped name in there would be another archive, as good as this.
      int at = bytes.length / 2 + random.nextInt(bytes.length / 4);
      damaged[at] ^= (byte) (1 + random.nextInt(255));
      assertThatThrownBy(() -> open(damaged).read(new TransferTesting.Kept()))
          .isInstanceOfAny(TransferException.class, BadRecordException.class);
    }
  }
}
