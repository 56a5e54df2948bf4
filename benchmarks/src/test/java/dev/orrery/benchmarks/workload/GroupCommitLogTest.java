package dev.orrery.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GroupCommitLogTest {
  @Test
  void everythingThatWasAppendedIsInTheFile(@TempDir Path directory) throws Exception {
    Path path = directory.resolve("log");
    var threads = Executors.newFixedThreadPool(8);
    try (var log = new GroupCommitLog(path)) {
      var running = new ArrayList<Future<?>>();
      for (int i = 0; i < 8; i++) {
        byte number = (byte) i;
        running.add(
            threads.submit(
                () -> {
                  for (int j = 0; j < 50; j++) {
                    log.append(new byte[] {number, number});
                  }
                  return null;
                }));
      }
      for (Future<?> writer : running) {
        writer.get();
      }
    } finally {
      threads.shutdown();
    }
    byte[] bytes = Files.readAllBytes(path);
    assertThat(bytes).hasSize(8 * 50 * 2);
    for (int i = 0; i < bytes.length; i += 2) {
      assertThat(bytes[i]).isEqualTo(bytes[i + 1]);
    }
  }
}
