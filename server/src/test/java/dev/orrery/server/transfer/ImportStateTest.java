package dev.orrery.server.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.server.transfer.source.Progress;
import dev.orrery.server.transfer.source.SourceRecord;
import dev.orrery.server.transfer.source.TransferException;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ImportStateTest {
  private static final Namespace TARGET = new Namespace("test", "c");

  @TempDir private Path directory;

  private static SourceRecord record(int length) {
    return new SourceRecord() {
      @Override
      public String place() {
        return "nowhere";
      }

      @Override
      public int length() {
        return length;
      }

      @Override
      public RawDocument document() {
        return RawDocument.EMPTY;
      }
    };
  }

  private static NewIds ids() {
    return NewIds.create(1_700_000_000L, new Random(1));
  }

  @Test
  void theStateOutlivesTheProcessAndKnowsItsSource() throws IOException {
    Path file = directory.resolve("state");
    ImportState first = ImportState.open(file, "source");
    assertThat(first.isResumed()).isFalse();
    first.save("test.c", new ImportState.Entry(5, ids().toString(), false));
    ImportState second = ImportState.open(file, "source");
    assertThat(second.isResumed()).isTrue();
    assertThat(second.find("test.c")).isEqualTo(first.find("test.c"));
    assertThatThrownBy(() -> ImportState.open(file, "other source"))
        .isInstanceOf(TransferException.class)
        .hasMessageContaining("belongs to another import");
    second.delete();
    second.save("test.c", new ImportState.Entry(12, "x", false));
    assertThat(file).doesNotExist();
  }

  @Test
  void aDamagedStateIsRefused() throws IOException {
    Path file = Files.writeString(directory.resolve("state"), "{\"format\": ");
    assertThatThrownBy(() -> ImportState.open(file, "source"))
        .isInstanceOf(TransferException.class)
        .hasMessageContaining("remove it to start anew");
  }

  @Test
  void onlyWhatIsAcknowledgedWithoutAGapCounts() throws IOException {
    ImportState state = ImportState.open(directory.resolve("state"), "source");
    var lane = new ImportLane(TARGET, state, ids(), 10, false);
    var batches = new ArrayList<ImportLane.Batch>();
    for (int i = 0; i < 35; i++) {
      ImportLane.Batch batch = lane.add(record(1));
      if (batch != null) {
        batches.add(batch);
      }
    }
    assertThat(batches).hasSize(3);
    assertThat(saved(lane, state)).isZero();
    lane.acknowledge(batches.get(1));
    assertThat(saved(lane, state)).isZero();
    lane.acknowledge(batches.get(0));
    assertThat(saved(lane, state)).isEqualTo(20);
    lane.acknowledge(batches.get(2));
    assertThat(saved(lane, state)).isEqualTo(30); // five are read and not on their way yet
    lane.acknowledge(lane.cut());
    assertThat(saved(lane, state)).isEqualTo(35);
  }

  private static long saved(ImportLane lane, ImportState state) throws IOException {
    lane.save(false);
    return state.find(TARGET.toString()).records();
  }

  @Test
  void aResumedLanePassesOverWhatIsThere() throws IOException {
    ImportState state = ImportState.none();
    state.save(TARGET.toString(), new ImportState.Entry(25, ids().toString(), false));
    var lane = new ImportLane(TARGET, state, NewIds.create(1, new Random(2)), 10, false);
    assertThat(lane.ids()).hasToString(ids().toString());
    var batches = new ArrayList<Long>();
    for (int i = 0; i < 50; i++) {
      ImportLane.Batch batch = lane.add(record(1));
      if (batch != null) {
        batches.add(batch.first());
      }
    }
    assertThat(batches).containsExactly(25L, 35L);
    assertThat(lane.cut().records()).hasSize(5);
  }

  @Test
  void largeRecordsMakeSmallBatches() {
    var lane = new ImportLane(TARGET, ImportState.none(), ids(), 1_000, false);
    assertThat(lane.add(record(3 << 20))).isNull();
    assertThat(lane.add(record(3 << 20)).records()).hasSize(2);
  }

  @Test
  void newIdsAreDifferentForEachRecordAndTheSameEachTime() {
    NewIds ids = ids();
    NewIds again = NewIds.parse(ids.toString());
    var seen = new HashSet<BsonDocument>();
    for (long ordinal : new long[] {0, 1, 255, 256, 1 << 24, (1L << 24) + 1, 1L << 30}) {
      RawDocument document = ids.withId(RawDocument.of(BsonDocument.parse("{a: 1}")), ordinal);
      assertThat(document.toBsonDocument().getFirstKey()).isEqualTo("_id");
      assertThat(document.toBsonDocument().get("a").asInt32().getValue()).isEqualTo(1);
      assertThat(again.withId(RawDocument.of(BsonDocument.parse("{a: 1}")), ordinal))
          .isEqualTo(document);
      seen.add(document.toBsonDocument());
    }
    assertThat(seen).hasSize(7);
    assertThat(ids.withId(RawDocument.of(BsonDocument.parse("{a: 1, _id: 2}")), 0).toString())
        .isEqualTo("{\"_id\": 2, \"a\": 1}");
  }

  @Test
  void waitsAreAsLongAsTheServerAsks() throws TransferException {
    var slept = new ArrayList<Long>();
    var throttle = new Throttle(slept::add);
    throttle.await("Error=16500, RetryAfterMs=34, Details='...'");
    throttle.await("no hint");
    throttle.await("RetryAfterMs=0");
    assertThat(slept).containsExactly(34L, 100L, 1L);
    assertThat(throttle.waitedSeconds()).isEqualTo(0.135);
    assertThat(throttle.isMeantFor(16500)).isTrue();
    assertThat(throttle.isMeantFor(11000)).isFalse();
  }

  @Test
  void progressShowsRateAndTheTimeThatIsLeft() {
    long[] nanos = {0};
    var meter =
        new Progress.Meter() {
          @Override
          public String what() {
            return "shop.orders";
          }

          @Override
          public long documents() {
            return 1_000;
          }

          @Override
          public long bytes() {
            return 25 << 20;
          }

          @Override
          public long bytesTotal() {
            return 100 << 20;
          }
        };
    var err = new PrintStream(new ByteArrayOutputStream());
    var progress = new Progress(err, false, () -> nanos[0], meter);
    nanos[0] = 5_000_000_000L;
    assertThat(progress.line())
        .isEqualTo(
            "[######..................]  25.0%  shop.orders  1,000 documents, 25.0 MB, 5.0 MB/s,"
                + " 0:15 left");
    assertThat(List.of(Progress.duration(59), Progress.duration(3_661)))
        .containsExactly("0:59", "1:01:01");
  }
}
