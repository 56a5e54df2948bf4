package dev.orrery.server.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;

/** The file of a workload. */
class WorkloadFileTest {
  private static final WorkloadHeader HEADER = new WorkloadHeader(1_700_000_000_123L, true);

  private final Random random = new Random(23);

  private RecordedRequest request(int number) {
    byte[] noise = new byte[random.nextInt(200)];
    random.nextBytes(noise);
    return new RecordedRequest(
        new RecordedRequest.Origin(1_000L * number, random.nextInt(9), random.nextInt(2)),
        new RecordedRequest.Target("shop", number % 7 == 0 ? "" : "orders", "find"),
        new BsonDocument("find", new BsonString("orders"))
            .append("filter", new BsonDocument("n", new BsonInt32(number)))
            .append("noise", new BsonString(Arrays.toString(noise))),
        new RecordedRequest.Outcome(
            random.nextInt(100_000),
            random.nextInt(),
            random.nextLong(1L << 40),
            random.nextInt(5),
            random.nextInt(5),
            random.nextInt(2),
            random.nextInt(2) * 16500,
            number % 3 == 0 ? "" : "IXSCAN { a: 1 }"));
  }

  private static byte[] written(List<RecordedRequest> requests) throws IOException {
    var out = new ByteArrayOutputStream();
    try (var writer = new WorkloadWriter(out, HEADER)) {
      for (RecordedRequest request : requests) {
        writer.add(request);
      }
      writer.flush();
      assertThat(writer.bytesWritten()).isEqualTo(out.size());
    }
    return out.toByteArray();
  }

  private static List<RecordedRequest> read(WorkloadReader reader) throws IOException {
    var read = new ArrayList<RecordedRequest>();
    for (RecordedRequest next = reader.next(); next != null; next = reader.next()) {
      read.add(next);
    }
    return read;
  }

  private List<RecordedRequest> requests(int count) {
    var requests = new ArrayList<RecordedRequest>();
    for (int i = 0; i < count; i++) {
      requests.add(request(i));
    }
    return requests;
  }

  @Test
  void whatIsWrittenIsRead() throws IOException {
    List<RecordedRequest> requests = requests(1_000);
    byte[] file = written(requests);

    var reader = new WorkloadReader(new ByteArrayInputStream(file));

    assertThat(reader.header()).isEqualTo(HEADER);
    assertThat(read(reader)).isEqualTo(requests);
    assertThat(reader.isCut()).isFalse();
    assertThat(file.length).isGreaterThan(2 * WorkloadWriter.BLOCK_BYTES); // several blocks
  }

  @Test
  void aFileThatIsCutEndsWithItsLastWholeBlock() throws IOException {
    List<RecordedRequest> requests = requests(1_000);
    byte[] file = written(requests);
    int header = written(List.of()).length;
    for (int i = 0; i < 50; i++) {
      int length = header + 1 + random.nextInt(file.length - header - 1);
      var reader = new WorkloadReader(new ByteArrayInputStream(Arrays.copyOf(file, length)));
      List<RecordedRequest> read = read(reader);
      assertThat(read).isEqualTo(requests.subList(0, read.size()));
      assertThat(read.size()).isLessThan(requests.size());
    }
  }

  @Test
  void aByteThatChangedIsNoticed() throws IOException {
    List<RecordedRequest> requests = requests(300);
    byte[] file = written(requests);
    for (int i = 0; i < 200; i++) {
      byte[] damaged = file.clone();
      damaged[random.nextInt(file.length)] ^= (byte) (1 << random.nextInt(8));
      try {
        var reader = new WorkloadReader(new ByteArrayInputStream(damaged));
        List<RecordedRequest> read = read(reader);
        // a length that has become too large reads as a file that was cut
        assertThat(reader.isCut()).isTrue();
        assertThat(read).isEqualTo(requests.subList(0, read.size()));
      } catch (IOException told) {
        assertThat(told.getMessage()).contains("workload");
      }
    }
  }

  @Test
  void otherFilesAndVersionsAreRefused() throws IOException {
    byte[] other = written(List.of());
    other[11] = 9; // the version
    assertThatThrownBy(() -> new WorkloadReader(new ByteArrayInputStream(other)))
        .hasMessage("a workload of version 9, which this one cannot read");
    assertThatThrownBy(() -> new WorkloadReader(new ByteArrayInputStream(new byte[3])))
        .hasMessageStartingWith("this is no recorded workload");
    assertThatThrownBy(() -> new WorkloadReader(new ByteArrayInputStream(new byte[99])))
        .hasMessage("this is no recorded workload");
  }
}
