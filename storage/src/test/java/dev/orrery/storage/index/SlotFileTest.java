package dev.orrery.storage.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SlotFileTest {
  private record Step(long id, long position) {}

  @TempDir Path directory;
  private final PageFilePool pool = new PageFilePool();

  @Test
  void idsCountUpFromOneAndAreNeverGivenTwice() {
    try (SlotFile slots = SlotFile.open(directory.resolve("slots"), pool, false)) {
      assertThat(slots.append(10)).isEqualTo(1);
      assertThat(slots.append(20)).isEqualTo(2);
      slots.set(2, 0);
      assertThat(slots.append(30)).isEqualTo(3);
      assertThat(slots.get(1)).isEqualTo(10);
      assertThat(slots.get(2)).isZero();
      assertThat(slots.get(0)).isZero();
      assertThat(slots.get(4_000_000_000_000L)).isZero();
      assertThat(slots.replace(1, 11, 12)).isFalse();
      assertThat(slots.replace(1, 10, 12)).isTrue();
      assertThat(slots.get(1)).isEqualTo(12);
      assertThat(slots.count()).isEqualTo(2);
      assertThatThrownBy(() -> slots.set(0, 1)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void farIdsNeedFewPages() {
    try (SlotFile slots = SlotFile.open(directory.resolve("slots"), pool, false)) {
      slots.set(1, 1);
      slots.set(100_000_000_000L, 2);
      assertThat(slots.get(100_000_000_000L)).isEqualTo(2);
      assertThat(slots.get(1)).isEqualTo(1);
      assertThat(slots.totalBytes()).isLessThan(12 * PageFile.PAGE_SIZE);
      long[] ids = new long[4];
      assertThat(slots.scanUp(2, ids, new long[4])).isEqualTo(1);
      assertThat(ids[0]).isEqualTo(100_000_000_000L);
      assertThat(slots.scanDown(99_000_000_000L, ids, new long[4])).isEqualTo(1);
      assertThat(ids[0]).isEqualTo(1);
    }
  }

  @Test
  void aQueueOfRecordsDoesNotGrow() {
    try (SlotFile slots = SlotFile.open(directory.resolve("slots"), pool, false)) {
      for (int i = 1; i <= 2_000_000; i++) {
        slots.append(i);
        if (i > 1000) {
          slots.set(i - 1000, 0);
        }
      }
      slots.verify();
      assertThat(slots.count()).isEqualTo(1000);
      assertThat(slots.totalBytes()).isLessThan(20 * PageFile.PAGE_SIZE);
    }
  }

  @Test
  void crashesLoseNothingThatIsReplayed() throws IOException {
    var random = new Random(11);
    NavigableMap<Long, Long> model = new TreeMap<>();
    List<Step> log = new ArrayList<>();
    Path home = Files.createDirectory(directory.resolve("0"));
    SlotFile slots = SlotFile.open(home.resolve("slots"), pool, false);
    for (int i = 1; i < 150_000; i++) {
      Step step = randomStep(slots.highestId(), random, i);
      log.add(step);
      slots.set(step.id(), step.position());
      if (step.position() == 0) {
        model.remove(step.id());
      } else {
        model.put(step.id(), step.position());
      }
      if (random.nextInt(3000) == 0) {
        slots.checkpoint(log.size());
      }
      if (random.nextInt(10_000) == 0) {
        Path copy = Files.createDirectory(directory.resolve("" + i));
        BTreeWalkTest.copyFiles(home, copy);
        long highest = slots.highestId();
        slots.close();
        home = copy;
        slots = SlotFile.open(home.resolve("slots"), pool, false);
        replay(slots, log);
        assertThat(slots.highestId()).isEqualTo(highest);
        requireSame(slots, model, random);
      }
    }
    requireSame(slots, model, random);
    slots.delete();
    assertThat(home).isEmptyDirectory();
    assertThat(pool.usedBytes()).isZero();
  }

  /** Appends, moves and removes; now and then removes a whole range one by one. */
  private static Step randomStep(long highest, Random random, int step) {
    if (highest == 0 || random.nextInt(2) == 0) {
      return new Step(highest + 1, random.nextLong() | 1);
    }
    if (step / 20_000 % 2 == 1) {
      return new Step(1 + step % 20_000 % highest, 0);
    }
    return new Step(1 + random.nextLong(highest), random.nextInt(3) == 0 ? 0 : random.nextLong());
  }

  private static void replay(SlotFile slots, List<Step> log) {
    int start = (int) Math.max(0, slots.lsn() - 100);
    // What a log keeps of steps that the checkpoint contains is overwritten by the later ones.
    for (Step step : log.subList(start, log.size())) {
      slots.set(step.id(), step.position());
    }
  }

  private static void requireSame(SlotFile slots, NavigableMap<Long, Long> model, Random random) {
    slots.verify();
    assertThat(slots.count()).isEqualTo(model.size());
    for (int i = 0; i < 2000; i++) {
      long id = random.nextLong(slots.highestId() + 1000);
      assertThat(slots.get(id)).isEqualTo(model.getOrDefault(id, 0L));
    }
    for (int i = 0; i < 5; i++) {
      long from = random.nextLong(slots.highestId() + 1000);
      long[] ids = new long[1 + random.nextInt(2000)];
      long[] positions = new long[ids.length];
      int up = slots.scanUp(from, ids, positions);
      requireSame(model.tailMap(from, true), up, ids, positions);
      int down = slots.scanDown(from, ids, positions);
      requireSame(model.headMap(from, true).descendingMap(), down, ids, positions);
    }
  }

  private static void requireSame(
      Map<Long, Long> expected, int found, long[] ids, long[] positions) {
    assertThat(found).isEqualTo(Math.min(ids.length, expected.size()));
    int index = 0;
    for (Map.Entry<Long, Long> entry : expected.entrySet()) {
      if (index == found) {
        return;
      }
      assertThat(ids[index]).isEqualTo(entry.getKey());
      assertThat(positions[index++]).isEqualTo(entry.getValue());
    }
  }
}
