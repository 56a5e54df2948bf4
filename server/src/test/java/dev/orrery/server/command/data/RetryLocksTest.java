package dev.orrery.server.command.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.DataFixture;
import dev.orrery.server.command.collection.Databases;
import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.PartitionStore;
import dev.orrery.storage.physical.PhysicalPartition;
import dev.orrery.value.RawValue;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.bson.BsonBinary;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What retryable writes leave behind is spread, so sessions do not wait for one another. */
@Tag("embedded") // holds locks
@Timeout(60)
class RetryLocksTest {
  @TempDir private Path directory;
  private DataFixture server;
  private long number;

  @BeforeEach
  void open() {
    server = new DataFixture(directory);
    write(new UUID(0, 1)); // makes the collection
  }

  @AfterEach
  void close() {
    server.close();
  }

  private void write(UUID session) {
    String insert =
        "{insert: 'c', documents: [{_id: %d}], lsid: {id: {$uuid: '%s'}}, txnNumber: {$numberLong: '%d'}}";
    number++;
    assertThat(server.answer(insert.formatted(number, session, number))).contains("\"n\"");
  }

  private PartitionStore partitionOf(UUID session) {
    CollectionStore records = server.engine.find(Databases.RETRY_RECORDS);
    return records.partitionOf(RawValue.of(new BsonBinary(session)));
  }

  /** Has a lock for so long, from when this returns. */
  private static Thread hold(PartitionStore partition, CountDownLatch end) throws Exception {
    var isHeld = new CountDownLatch(1);
    var holder =
        new Thread(
            () -> {
              var lock = ((PhysicalPartition) partition).lock;
              lock.lock();
              try {
                isHeld.countDown();
                end.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              } finally {
                lock.unlock();
              }
            });
    holder.start();
    isHeld.await();
    return holder;
  }

  @Test
  void sessionsAreSpread() {
    Set<Integer> partitions = new HashSet<>();
    for (int i = 0; i < 1_000; i++) {
      partitions.add(partitionOf(UUID.randomUUID()).id());
    }
    assertThat(partitions).hasSize(16);
  }

  @Test
  void aSessionDoesNotWaitForThoseWhoseRecordsAreElsewhere() throws Exception {
    UUID held = UUID.randomUUID();
    UUID free = UUID.randomUUID();
    while (partitionOf(free).id() == partitionOf(held).id()) {
      free = UUID.randomUUID();
    }
    var end = new CountDownLatch(1);
    Thread holder = hold(partitionOf(held), end);
    for (int i = 0; i < 100; i++) {
      write(free);
    }
    long start = System.nanoTime();
    var release =
        new Thread(
            () -> {
              try {
                TimeUnit.MILLISECONDS.sleep(300);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              end.countDown();
            });
    release.start();
    write(held);
    assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start))
        .isGreaterThanOrEqualTo(250);
    holder.join();
    release.join();
  }
}
