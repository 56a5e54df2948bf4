package dev.orrery.language.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SortedRunsTest {
  private static final class Longs implements SortedRuns.Format<Long> {
    @Override
    public void write(DataOutputStream out, Long element) throws IOException {
      out.writeLong(element);
      out.writeUTF("x".repeat((int) (element % 100)));
    }

    @Override
    public Long read(DataInputStream in) throws IOException {
      long element = in.readLong();
      in.readUTF();
      return element;
    }
  }

  private final HeapSpills directory = new HeapSpills();

  @Test
  void givesEverythingInOrderHoweverOftenItRests() throws IOException {
    for (int seed = 0; seed < 60; seed++) {
      var random = new Random(seed);
      var all = new ArrayList<Long>();
      var releases = new AtomicInteger();
      try (var runs = new SortedRuns<>(directory, Comparator.<Long>naturalOrder(), new Longs())) {
        int count = seed == 0 ? 0 : random.nextInt(200);
        for (int run = 0; run < count; run++) {
          runs.write(sorted(random, 1 + random.nextInt(30), all));
        }
        runs.finish(sorted(random, random.nextInt(50), all), releases::incrementAndGet);
        Collections.sort(all);
        assertThat(drain(runs, random)).isEqualTo(all);
      }
      assertThat(releases).hasValue(1);
      assertThat(directory.count()).isZero();
    }
  }

  private static List<Long> sorted(Random random, int count, List<Long> all) {
    var run = new ArrayList<Long>();
    for (int i = 0; i < count; i++) {
      run.add((long) random.nextInt(1_000));
    }
    Collections.sort(run);
    all.addAll(run);
    return run;
  }

  private static List<Long> drain(SortedRuns<Long> runs, Random random) {
    var given = new ArrayList<Long>();
    for (; ; ) {
      if (random.nextInt(20) == 0) {
        runs.rest(random.nextBoolean());
      }
      Long next = runs.next();
      if (next == null) {
        return given;
      }
      given.add(next);
    }
  }
}
