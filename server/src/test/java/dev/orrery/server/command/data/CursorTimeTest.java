package dev.orrery.server.command.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.DataFixture;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The maxTimeMS of a command is for all batches of its cursor together. */
class CursorTimeTest {
  private static final String TIMED = ", maxTimeMS: 1000}";

  private DataFixture data;

  @BeforeEach
  void open(@TempDir Path directory) {
    data = new DataFixture(directory);
    data.run("{create: 'c', capped: true, size: 4096}");
    data.run("{create: 'd'}");
    data.run("{create: 'e'}");
    data.run("{create: 'f'}");
    data.run("{insert: 'c', documents: [{_id: 1}, {_id: 2}, {_id: 3}, {_id: 4}]}");
  }

  @AfterEach
  void close() {
    data.close();
  }

  /** The getMore for one more result of a cursor that was just opened. */
  private static String more(BsonDocument first) {
    BsonDocument cursor = first.getDocument("cursor");
    String namespace = cursor.getString("ns").getValue();
    return "{getMore: {$numberLong: '%d'}, collection: '%s', batchSize: 1}"
        .formatted(
            cursor.getInt64("id").getValue(), namespace.substring(namespace.indexOf('.') + 1));
  }

  private void workTakes(long millis) {
    data.workNanos = TimeUnit.MILLISECONDS.toNanos(millis);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{find: 'c', batchSize: 1",
        "{find: 'c', batchSize: 1, tailable: true",
        "{aggregate: 'c', pipeline: [], cursor: {batchSize: 1}",
        "{listCollections: 1, cursor: {batchSize: 1}"
      })
  void batchesShareTheTimeOfTheirCommand(String command) {
    String more = more(data.run(command + TIMED));
    data.commands.nanos.addAndGet(TimeUnit.SECONDS.toNanos(60)); // idle time does not count
    workTakes(600);
    assertThat(data.run(more).getDocument("cursor").getArray("nextBatch")).hasSize(1);
    assertThat(data.error(more))
        .isEqualTo(
            "50 MaxTimeMSExpired: Executor error during getMore :: caused by :: operation exceeded"
                + " time limit");
    assertThat(data.error(more)).startsWith("43 CursorNotFound");
  }

  @Test
  void theFirstBatchOfAPipelineTakesOfItToo() {
    workTakes(600);
    String more = more(data.run("{aggregate: 'c', pipeline: [], cursor: {batchSize: 1}" + TIMED));
    assertThat(data.error(more)).startsWith("50 MaxTimeMSExpired");
  }

  @Test
  void withoutALimitBatchesTakeAsLongAsTheyDo() {
    String more = more(data.run("{aggregate: 'c', pipeline: [], cursor: {batchSize: 1}}"));
    workTakes(TimeUnit.DAYS.toMillis(1));
    assertThat(data.run(more).getDocument("cursor").getArray("nextBatch")).hasSize(1);
    assertThat(data.run(more).getDocument("cursor").getArray("nextBatch")).hasSize(1);
  }
}
