package dev.orrery.server.transfer.source;

import static dev.orrery.server.transfer.TransferTesting.all;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.server.transfer.TransferTesting;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPOutputStream;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

final class BsonRecordsTest {
  private static BsonRecords read(byte[] bytes) throws IOException {
    InputStream in = InputFile.unpacked(new ByteArrayInputStream(bytes), new AtomicLong(), "a");
    return new BsonRecords(in, "a.bson");
  }

  @Test
  void whatIsWrittenIsReadAgainPackedOrNot() throws IOException {
    List<BsonDocument> documents = TransferTesting.random(1, 300);
    byte[] bytes = TransferTesting.bytes(documents);
    assertThat(all(read(bytes))).isEqualTo(documents);
    assertThat(all(read(packed(bytes)))).isEqualTo(documents);
  }

  @Test
  void aFileThatIsCutAnywhereGivesItsWholeDocumentsAndThenAClearError() throws IOException {
    List<BsonDocument> documents = TransferTesting.random(2, 5);
    byte[] bytes = TransferTesting.bytes(documents);
    int whole = 0;
    for (int length = 0; length < bytes.length; length++) {
      BsonRecords records = read(Arrays.copyOf(bytes, length));
      int read = 0;
      String problem = null;
      try {
        while (records.next() != null) {
          read++;
        }
      } catch (TransferException e) {
        problem = e.getMessage();
      }
      assertThat(read).isBetween(0, documents.size() - 1);
      if (problem == null) {
        whole++;
      } else {
        assertThat(problem).startsWith("a.bson: the document at byte ").contains("is cut off");
      }
    }
    assertThat(whole).isEqualTo(documents.size()); // at the end of each, and at the beginning
  }

  @Test
  void aPackedFileThatIsCutIsRefused() throws IOException {
    byte[] bytes = packed(TransferTesting.bytes(TransferTesting.random(3, 2_000)));
    assertThatThrownBy(() -> all(read(Arrays.copyOf(bytes, bytes.length / 2))))
        .isInstanceOf(TransferException.class)
        .hasMessageContaining("the compressed data end in the middle");
  }

  @Test
  void aLengthThatCannotBeIsRefusedWithItsPlace() {
    assertThatThrownBy(() -> read(new byte[] {1, 0, 0, 0, 0}).next())
        .hasMessageContaining("at byte 0 a document should begin, but its length would be 1 bytes");
    assertThatThrownBy(() -> read(new byte[] {-1, -1, -1, 127, 0}).next())
        .hasMessageContaining("2,147,483,647");
  }

  @Test
  void flippedBytesNeverDoMoreThanSpoilRecords() throws IOException {
    byte[] bytes = TransferTesting.bytes(TransferTesting.random(4, 50));
    var random = new Random(4);
    for (int i = 0; i < 2_000; i++) {
      byte[] damaged = bytes.clone();
      damaged[random.nextInt(bytes.length)] ^= (byte) (1 + random.nextInt(255));
      try {
        all(read(damaged));
      } catch (TransferException | BadRecordException e) {
        assertThat(e).hasMessageStartingWith("a.bson");
      }
    }
  }

  private static byte[] packed(byte[] bytes) throws IOException {
    var out = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes);
    }
    return out.toByteArray();
  }
}
