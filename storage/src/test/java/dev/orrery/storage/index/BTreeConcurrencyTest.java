package dev.orrery.storage.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Readers beside one writer and checkpoints: nothing missed, nothing out of order. */
class BTreeConcurrencyTest {
  private static final int STABLE = 20_000;
  private static final int WRITES = 150_000;

  @TempDir Path directory;
  private final PageFilePool pool = new PageFilePool();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicBoolean isDone = new AtomicBoolean();

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  @Test
  void readersOfATreeSeeEveryEntryThatStays() throws Exception {
    try (BTree tree = BTree.open(directory.resolve("tree"), pool, false)) {
      for (int i = 0; i < STABLE; i++) {
        tree.insert(key(2 * i), 1);
      }
      run(
          List.of(
              () -> writeTree(tree),
              () -> repeatedly(random -> tree.checkpoint(1)),
              () -> repeatedly(random -> requireStable(tree, random.nextBoolean())),
              () -> repeatedly(random -> requirePresent(tree, random))));
      tree.verify();
    }
    assertThat(pool.usedBytes()).isZero();
  }

  @Test
  void readersOfSlotsSeeTheOldOrTheNewPosition() throws Exception {
    try (SlotFile slots = SlotFile.open(directory.resolve("slots"), pool, false)) {
      for (int id = 1; id <= STABLE; id++) {
        slots.append(id);
      }
      run(
          List.of(
              () -> writeSlots(slots),
              () -> repeatedly(random -> slots.checkpoint(1)),
              () -> repeatedly(random -> requirePosition(slots, 1 + random.nextInt(STABLE))),
              () -> repeatedly(random -> requireScan(slots))));
      slots.verify();
    }
    assertThat(pool.usedBytes()).isZero();
  }

  private void run(List<Callable<Void>> tasks) throws Exception {
    List<Future<Void>> results = new ArrayList<>();
    for (Callable<Void> task : tasks) {
      results.add(
          threads.submit(
              () -> {
                try {
                  return task.call();
                } finally {
                  isDone.set(true); // the writer has finished, or somebody has failed
                }
              }));
    }
    for (Future<Void> result : results) {
      result.get();
    }
  }

  private interface Action {
    void run(Random random);
  }

  private Void repeatedly(Action action) {
    var random = new Random(17);
    do {
      action.run(random);
    } while (!isDone.get());
    return null;
  }

  private Void writeTree(BTree tree) {
    var random = new Random(1);
    for (int i = 0; i < WRITES && !isDone.get(); i++) {
      byte[] odd = key(2 * random.nextInt(STABLE) + 1);
      int id = random.nextInt(3);
      if (!tree.insert(odd, id)) {
        tree.remove(odd, id);
      }
    }
    return null;
  }

  private static void requireStable(BTree tree, boolean isAscending) {
    BTreeCursor cursor =
        isAscending
            ? tree.ascending(BTreeBound.START, BTreeBound.END)
            : tree.descending(BTreeBound.START, BTreeBound.END);
    int stable = 0;
    int last = isAscending ? -1 : Integer.MAX_VALUE;
    while (cursor.next()) {
      int number = ByteBuffer.wrap(cursor.key()).getInt();
      assertThat(isAscending ? number >= last : number <= last).isTrue();
      last = number;
      stable += number % 2 == 0 ? 1 : 0;
    }
    assertThat(stable).isEqualTo(STABLE);
  }

  private static void requirePresent(BTree tree, Random random) {
    int number = 2 * random.nextInt(STABLE);
    assertThat(tree.contains(key(number), 1)).isTrue();
    BTreeCursor cursor =
        tree.ascending(BTreeBound.before(key(number)), BTreeBound.after(key(number)));
    assertThat(cursor.next()).isTrue();
    assertThat(cursor.next()).isFalse();
  }

  /** Moves stable records; others come and go, so that pages are freed and used again. */
  private Void writeSlots(SlotFile slots) {
    var random = new Random(1);
    for (int i = 0; i < WRITES && !isDone.get(); i++) {
      int id = 1 + random.nextInt(STABLE);
      slots.set(id, (random.nextLong(1L << 40) << 20) + id);
      long added = slots.append(slots.highestId() + 1);
      slots.set(added - 600 > STABLE ? added - 600 : added, 0);
    }
    return null;
  }

  private static void requirePosition(SlotFile slots, int id) {
    assertThat(slots.get(id) & 0xfffff).isEqualTo(id);
  }

  private static void requireScan(SlotFile slots) {
    long[] ids = new long[STABLE];
    long[] positions = new long[STABLE];
    assertThat(slots.scanUp(1, ids, positions)).isEqualTo(STABLE);
    for (int i = 0; i < STABLE; i++) {
      assertThat(ids[i]).isEqualTo(i + 1);
      assertThat(positions[i] & 0xfffff).isEqualTo(ids[i]);
    }
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(12).putInt(number).putLong(number * 0x9e37_79b9_7f4a_7c15L).array();
  }
}
