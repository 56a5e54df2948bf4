package dev.orrery.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.WorkMeter;
import dev.orrery.storage.keyindex.KeyIndexProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process is killed in the midst of commits, checkpoints, compactions and splits, again and again
 * on the same data: what it was told to be durable is there, and all structures fit together.
 */
final class EngineKillTest {
  private static final int KILLS = Integer.getInteger("crash.kills", 6);

  @TempDir Path directory;

  /** The durable value of each document, and the one that was being written; 0 is none. */
  private final Map<Integer, Integer> durable = new HashMap<>();

  private final Map<Integer, Integer> tried = new HashMap<>();

  @Test
  void whatIsDurableSurvivesEveryKill() throws Exception {
    var random = new Random(3);
    for (int kill = 1; kill <= KILLS; kill++) {
      Process process =
          KeyIndexProcess.start(
              EngineProcess.class, List.of(), directory.toString(), "" + random.nextLong());
      var lines = process.inputReader();
      follow(lines, 100 + random.nextInt(2_000));
      process.toHandle().destroyForcibly(); // the process itself would close the pipe too
      follow(lines, Integer.MAX_VALUE);
      process.waitFor();
      verify();
    }
    assertThat(durable.size()).isGreaterThan(300);
  }

  private void follow(BufferedReader lines, int changes) throws IOException {
    int seen = 0;
    while (seen < changes) {
      String line;
      try {
        line = lines.readLine();
      } catch (IOException e) {
        return; // the pipe went with the process
      }
      if (line == null) {
        assertThat(changes).as("the process must not end by itself").isEqualTo(Integer.MAX_VALUE);
        return;
      }
      String[] words = line.split(" ");
      if (words[0].equals("T") && words.length == 3) {
        tried.put(Integer.valueOf(words[1]), Integer.valueOf(words[2]));
      } else if (words[0].equals("A") && words.length == 2) {
        Integer id = Integer.valueOf(words[1]);
        durable.put(id, tried.remove(id));
        seen++;
      }
    }
  }

  private void verify() {
    var found = new HashMap<Integer, Integer>();
    try (ChronicleEngine engine = EngineProcess.open(directory)) {
      engine.verify();
      assertThat(engine.rebuilt()).isEmpty();
      for (PartitionStore partition : engine.find(EngineProcess.NAMESPACE).partitions()) {
        var meter = new WorkMeter();
        var cursor = partition.scan(false);
        for (var one = cursor.awaitNext(meter); one != null; one = cursor.awaitNext(meter)) {
          BsonDocument document = one.document().toBsonDocument();
          Integer id = document.getInt32("_id").getValue();
          assertThat(found.put(id, document.getInt32("v").getValue())).isNull();
        }
      }
    }
    tried.forEach(
        (id, value) -> {
          if (found.getOrDefault(id, 0).equals(value)) {
            durable.put(id, value); // it had reached the log
          }
        });
    tried.clear();
    durable.values().removeIf(value -> value == 0);
    found.forEach((id, value) -> assertThat(durable.get(id)).as("document " + id).isEqualTo(value));
    assertThat(found.keySet()).containsAll(durable.keySet());
  }
}
