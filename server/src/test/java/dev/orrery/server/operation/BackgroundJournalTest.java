package dev.orrery.server.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.lane.Lane;
import dev.orrery.server.auth.Login;
import dev.orrery.server.throughput.Metering;
import dev.orrery.value.RawDocument;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class BackgroundJournalTest {
  private final List<Long> written = new CopyOnWriteArrayList<>();
  private final Semaphore mayWrite = new Semaphore(0);
  private final AtomicInteger errors = new AtomicInteger();

  private BackgroundJournal journal() {
    var settings = new ProfileSettings(100);
    settings.set("test", new ProfileSettings.Database(2, null, null));
    OperationJournal.ProfileWriter profile =
        (database, entry) -> {
          assertThat(Lane.current()).isEqualTo(Lane.BACKGROUND);
          mayWrite.acquireUninterruptibly();
          if (errors.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new OutOfMemoryError("a test");
          }
          written.add(entry.getNumber("millis").longValue());
        };
    var outputs = new OperationJournal.Outputs(new Top(name -> true), profile, line -> {});
    return new BackgroundJournal(
        new OperationJournal(
            settings, new OperationDetails(Clock.systemUTC()), outputs, () -> 0.5));
  }

  private static OperationListener.Ended ended(int number) {
    var body = RawDocument.of(new BsonDocument("ping", new BsonInt32(1)));
    var subject = new Subject("ping", "test", null, body, null, true, null);
    var operation =
        new Operation(number, new NoClient(), subject, Metering.unlimited().start(0), () -> 0);
    long nanos = TimeUnit.MILLISECONDS.toNanos(number);
    return new OperationListener.Ended(operation, new BsonDocument("ok", new BsonInt32(1)), nanos);
  }

  /** A client of whom nothing is known. */
  private record NoClient() implements Client {
    @Override
    public long id() {
      return 1;
    }

    @Override
    public String remoteAddress() {
      return "127.0.0.1:1";
    }

    @Override
    public @Nullable String applicationName() {
      return null;
    }

    @Override
    public @Nullable RawDocument clientMetadata() {
      return null;
    }

    @Override
    public Login login() {
      return new Login();
    }

    @Override
    public @Nullable Operation operation() {
      return null;
    }
  }

  @Test
  void requestsAreWrittenDownInOrderBeforeTheirRepliesLeave() throws Exception {
    var replies = new CopyOnWriteArrayList<Integer>();
    var last = new CountDownLatch(100);
    try (BackgroundJournal journal = journal()) {
      for (int i = 0; i < 100; i++) {
        int number = i;
        journal.write(
            ended(number),
            () -> {
              assertThat(written).contains((long) number);
              replies.add(number);
              last.countDown();
            });
      }
      assertThat(replies).isEmpty();
      mayWrite.release(1_000);
      assertThat(last.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(written).isSorted().hasSize(100);
      assertThat(journal.dropped()).isZero();
    }
  }

  @Test
  void whatCannotWaitIsCountedAndItsReplyLeaves() {
    var replies = new AtomicInteger();
    BackgroundJournal journal = journal();
    int tooMany = 50;
    for (int i = 0; i < BackgroundJournal.WAITING_MAX + 1 + tooMany; i++) {
      journal.write(ended(i), replies::incrementAndGet);
    }
    assertThat(replies.get()).isBetween(tooMany, tooMany + 1);
    assertThat(journal.dropped()).isEqualTo(replies.get());
    mayWrite.release(1_000_000);
    journal.close();
    assertThat(replies).hasValue(BackgroundJournal.WAITING_MAX + 1 + tooMany);
    assertThat(written.size() + journal.dropped()).isEqualTo(replies.get());
    journal.write(ended(1), replies::incrementAndGet);
    assertThat(replies).hasValue(BackgroundJournal.WAITING_MAX + 2 + tooMany);
  }

  @Test
  void anErrorWhileWritingKeepsNoReplyBackAndTheNextIsWritten() throws Exception {
    errors.set(3);
    mayWrite.release(1_000);
    var replies = new CountDownLatch(10);
    try (BackgroundJournal journal = journal()) {
      for (int i = 0; i < 10; i++) {
        journal.write(ended(i), replies::countDown);
      }
      assertThat(replies.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(written).hasSize(7);
      assertThat(journal.dropped()).isEqualTo(3);
    }
  }
}
