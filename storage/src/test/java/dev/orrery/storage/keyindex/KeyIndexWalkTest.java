package dev.orrery.storage.keyindex;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A seeded walk of additions, removals, checkpoints and crashes, compared with a plain map.
 * Additions do harm when they are replayed twice or not at all, so the walk also checks each key's
 * applied lsn.
 */
class KeyIndexWalkTest {
  private static final int STEPS = 8_000;

  @TempDir private Path directory;

  private final Map<String, Long> model = new HashMap<>();
  private final List<Operation> log = new ArrayList<>();
  private KeyIndexOptions options;
  private Random random;
  private KeyIndex index;
  private int copies;

  /** Adds to the value of a key, or removes it when the addition is 0. Its lsn is its place. */
  private record Operation(byte[] key, long addition) {}

  @ParameterizedTest
  @CsvSource({"1, 20", "2, 20", "3, 20", "4, 20", "5, 1500", "6, 1500"})
  void theIndexIsWhatTheLogSays(long seed, int heapEntries) throws IOException {
    options = KeyIndexOptions.pair().withEphemeral(true).withLimits(heapEntries, 6 * heapEntries);
    random = new Random(seed);
    index = KeyIndex.open(directory.resolve("0"), options);
    for (int step = 0; step < STEPS; step++) {
      int choice = random.nextInt(1_000);
      if (choice == 0) {
        crash(directory.resolve("" + copies));
      } else if (choice == 1) {
        index.close(log.size());
        reopen(directory.resolve("" + copies));
        assertThat(index.checkpointLsn()).isGreaterThanOrEqualTo(KeyIndex.NEVER);
        assertSame();
      } else if (choice < 5) {
        index.checkpoint(log.size());
        for (int i = random.nextInt(3); i > 0; i--) { // what was touched rests the second time
          index.releaseIdle();
        }
      } else if (choice == 5) {
        checkpointWhileWriting();
      } else {
        write();
      }
    }
    assertSame();
    index.close();
  }

  private void write() {
    // Fewer and fewer removals, so that the index grows through all of its forms.
    boolean isRemoval = random.nextInt(STEPS) > log.size() + STEPS / 2;
    byte[] key = KeyIndexTest.key(random.nextInt(200 + log.size() / 2));
    var operation = new Operation(key, isRemoval ? 0 : 1 + random.nextInt(9));
    log.add(operation);
    apply(operation);
    model.merge(new String(key), operation.addition, Long::sum);
    if (isRemoval) {
      model.remove(new String(key));
    }
  }

  private void apply(Operation operation) {
    long[] value = new long[2];
    index.get(operation.key, value);
    if (operation.addition == 0) {
      index.remove(operation.key);
    } else {
      index.put(operation.key, value[0] + operation.addition, value[1] + 1);
    }
  }

  /** Writes come between the buckets, and the process may die there. */
  private void checkpointWhileWriting() throws IOException {
    Path present = directory.resolve("" + copies);
    int copyAt = random.nextInt(30);
    List<Path> copy = new ArrayList<>();
    var writers =
        new ReentrantLock() {
          private int calls;

          @Override
          public void lock() {
            if (calls++ == copyAt) {
              copy.add(copyOf(present));
            }
            super.lock();
          }

          @Override
          public void unlock() {
            super.unlock();
            for (int i = random.nextInt(5); i > 0; i--) {
              write();
            }
          }
        };
    index.checkpoint(writers, log::size);
    if (!copy.isEmpty()) {
      index.close();
      reopen(copy.get(0));
    }
    assertSame();
  }

  private void crash(Path present) {
    Path copy = copyOf(present);
    index.close();
    reopen(copy);
    assertSame();
  }

  private Path copyOf(Path present) {
    Path copy = directory.resolve("" + ++copies);
    try {
      if (present.toFile().exists()) {
        KeyIndexCheckpointTest.copy(present, copy);
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    return copy;
  }

  private void reopen(Path path) {
    index = KeyIndex.open(path, options);
    for (int i = 0; i < log.size(); i++) {
      if (i + 1 > index.appliedLsn(log.get(i).key)) {
        apply(log.get(i));
      }
    }
  }

  private void assertSame() {
    Map<String, Long> seen = new HashMap<>();
    index.forEach((key, first, second) -> seen.put(new String(key), first));
    assertThat(seen).isEqualTo(model);
    assertThat(index.size()).isEqualTo(model.size());
    model.forEach((key, value) -> assertThat(index.find(key.getBytes())).isEqualTo(value));
  }
}
