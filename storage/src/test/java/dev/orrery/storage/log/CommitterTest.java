package dev.orrery.storage.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** How many commits share an fsync. */
final class CommitterTest {
  private static final long FORCE_NANOS = 2_000_000;

  /** A log whose groups are numbers, on a device that takes its time. */
  private static final class SlowSource implements Committer.Source {
    final AtomicLong appended = new AtomicLong();
    final AtomicLong durable = new AtomicLong();
    final AtomicInteger forces = new AtomicInteger();

    @Override
    public long lastLsn() {
      return appended.get();
    }

    @Override
    public void force() {
      long covered = appended.get();
      LockSupport.parkNanos(FORCE_NANOS);
      forces.incrementAndGet();
      durable.set(covered);
    }
  }

  private static void commit(Committer committer, SlowSource source) {
    long lsn = source.appended.incrementAndGet();
    committer.whenDurable(lsn).join();
    assertThat(source.durable.get()).isGreaterThanOrEqualTo(lsn);
  }

  private static LogOptions options() {
    return LogOptions.defaults().withFlushMillis(60_000);
  }

  @Test
  void aLoneWriterHasEachCommitForced() {
    var source = new SlowSource();
    try (var committer = new Committer(source, options())) {
      for (int i = 0; i < 20; i++) {
        commit(committer, source);
      }
    }
    assertThat(source.forces).hasValue(20);
  }

  @Test
  void writersWhoComeBackShareRounds() throws InterruptedException {
    var source = new SlowSource();
    int commits = 40;
    var writers = new ArrayList<Thread>();
    try (var committer = new Committer(source, options())) {
      for (int i = 0; i < 16; i++) {
        writers.add(
            new Thread(
                () -> {
                  for (int n = 0; n < commits; n++) {
                    commit(committer, source);
                  }
                }));
      }
      writers.forEach(Thread::start);
      for (Thread writer : writers) {
        writer.join();
      }
    }
    assertThat(source.durable).hasValue(16L * commits);
    assertThat(source.forces.get()).isBetween(commits, 16 * commits / 4);
  }

  @Test
  void waitsLongerForManyThanForFew() {
    assertThat(Committer.patience(1, FORCE_NANOS)).isEqualTo(FORCE_NANOS);
    assertThat(Committer.patience(8, FORCE_NANOS)).isEqualTo(FORCE_NANOS);
    assertThat(Committer.patience(64, FORCE_NANOS)).isEqualTo(2 * FORCE_NANOS);
  }
}
