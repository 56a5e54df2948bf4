package dev.orrery.storage.keyindex;

import static dev.orrery.storage.keyindex.KeyIndexTest.key;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyIndexReadersTest {
  private static final int KEYS = 10_000;
  private static final int READERS = 3;

  @TempDir private Path directory;

  /** Keys below this were put and never removed. */
  private final AtomicInteger present = new AtomicInteger();

  private final ReentrantLock writers = new ReentrantLock();

  @Test
  void readersNeverMissAPresentKeyDuringGrowthCheckpointsAndRest() throws Exception {
    var options = KeyIndexOptions.single().withEphemeral(true).withLimits(50, 500);
    ExecutorService threads = Executors.newFixedThreadPool(READERS + 1);
    try (var index = KeyIndex.open(directory, options)) {
      List<Future<Integer>> results = new ArrayList<>();
      for (int i = 0; i < READERS; i++) {
        long seed = i;
        results.add(threads.submit(() -> read(index, new Random(seed))));
      }
      results.add(threads.submit(() -> save(index)));
      for (int i = 0; i < KEYS; i++) {
        writers.lock();
        index.put(key(i), i);
        writers.unlock();
        present.set(i + 1);
      }
      for (Future<Integer> result : results) {
        assertThat(result.get()).isPositive();
      }
      KeyIndexTest.assertHolds(index, KEYS);
    } finally {
      threads.shutdownNow();
    }
  }

  private int read(KeyIndex index, Random random) {
    int reads = 0;
    while (present.get() < KEYS || reads == 0) {
      int bound = present.get();
      if (bound > 0) {
        int number = random.nextInt(bound);
        assertThat(index.find(key(number))).isEqualTo(number);
        assertThat(index.find(key(-1 - number))).isEqualTo(KeyIndex.ABSENT);
        reads++;
      }
    }
    return reads;
  }

  private int save(KeyIndex index) {
    int saves = 0;
    while (present.get() < KEYS || saves == 0) {
      index.checkpoint(writers, present::get);
      index.releaseIdle();
      saves++;
    }
    return saves;
  }
}
