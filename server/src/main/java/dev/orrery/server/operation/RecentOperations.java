package dev.orrery.server.operation;

import dev.orrery.server.plan.QueryPlan;
import dev.orrery.server.throughput.CommandShape;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawTypes;
import dev.orrery.value.RawValue;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * The last requests that cost something, failed or were slow, in bounded memory. Of much traffic it
 * has a sample: the first hundred of every second, then every sixty-first; refusals, errors and
 * slow ones beside them, some of each second. Thread-safe.
 */
public final class RecentOperations implements OperationWatcher {
  public static final int KEPT_MAX = 2_000;

  /** Longer commands are shown in part. */
  private static final int COMMAND_BYTES_MAX = 1_500;

  private static final int NOTABLE_PER_SECOND = 50;
  private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final int COMMENT_CHARACTERS_MAX = 200;

  /**
   * One request.
   *
   * @param weight how many like it there were, of which only this one is kept
   * @param command without its secrets
   * @param error what it was answered with, or null
   */
  public record Entry(
      long number,
      long endMillis,
      Subject subject,
      BsonDocument command,
      Where where,
      Spent spent,
      Outcome outcome,
      @Nullable String error,
      int weight) {}

  /** Who sent a request. */
  public record Where(
      String client, @Nullable String application, @Nullable String comment, String user) {}

  /** What a request took. */
  public record Spent(
      double units,
      long nanos,
      int partitions,
      long keysExamined,
      long documentsExamined,
      long documentsReturned,
      @Nullable String plan,
      CommandShape shape) {}

  private final AtomicReferenceArray<Entry> ring = new AtomicReferenceArray<>(KEPT_MAX);
  private final AtomicLong last = new AtomicLong();
  private final Clock clock;

  // As Sampling has it: threads may see old values, and a few more or less are kept then.
  private long notableSecond;
  private int notable;

  public RecentOperations(Clock clock) {
    this.clock = clock;
  }

  @Override
  public void ended(Operation operation, long nanos) {
    int weight = operation.work().weight();
    boolean isOdd = nanos >= SLOW_NANOS || operation.outcome() != Outcome.OK;
    boolean isSampled = weight > 0 && (isOdd || operation.work().charge().twentyFirsts() > 0);
    if (isSampled || isOdd && mayKeepNotable()) {
      keep(operation, nanos, Math.max(1, weight));
    }
  }

  private boolean mayKeepNotable() {
    long second = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime());
    if (second != notableSecond) {
      notableSecond = second;
      notable = 0;
    }
    return ++notable <= NOTABLE_PER_SECOND;
  }

  private void keep(Operation operation, long nanos, int weight) {
    Subject subject = operation.subject();
    BsonDocument command = OperationReport.command(subject, COMMAND_BYTES_MAX);
    RawDocument statement = operation.statement();
    if (statement != null && statement.length() <= COMMAND_BYTES_MAX) {
      command.append(subject.command() + "s", new BsonArray(List.of(statement.toBsonDocument())));
    }
    long number = last.incrementAndGet();
    var kept =
        new Entry(
            number,
            clock.millis(),
            subject.withoutBody(),
            command,
            where(operation),
            spent(operation, nanos),
            operation.outcome(),
            operation.failure() == null ? null : operation.failure().codeName(),
            weight);
    ring.set((int) (number % KEPT_MAX), kept);
  }

  private static Where where(Operation operation) {
    Client client = operation.client();
    return new Where(
        client.remoteAddress(),
        client.applicationName(),
        comment(operation.subject().body().field("comment")),
        client.login().owner());
  }

  private static @Nullable String comment(@Nullable RawValue comment) {
    if (comment == null || comment.type() != RawTypes.STRING) {
      return null;
    }
    String text = comment.asString();
    return text.substring(0, Math.min(text.length(), COMMENT_CHARACTERS_MAX));
  }

  private static Spent spent(Operation operation, long nanos) {
    RawDocument body = operation.subject().body();
    RawDocument statement = operation.statement();
    QueryPlan plan = operation.plan();
    return new Spent(
        operation.work().charge().toDouble(),
        nanos,
        operation.partitionsVisited(),
        operation.keysExamined(),
        operation.documentsExamined(),
        operation.work().documentsReturned(),
        plan == null ? null : plan.summary(),
        CommandShape.of(body, statement).described(body, statement));
  }

  /** Those that are kept, the last first. */
  public List<Entry> list() {
    var list = new ArrayList<Entry>();
    for (int i = 0; i < KEPT_MAX; i++) {
      Entry entry = ring.get(i);
      if (entry != null) {
        list.add(entry);
      }
    }
    list.sort((one, other) -> Long.compare(other.number, one.number));
    return list;
  }
}
