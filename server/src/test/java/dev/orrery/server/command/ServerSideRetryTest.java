package dev.orrery.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.value.RawDocument;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ServerSideRetryTest {
  private static final String REFUSED =
      "{index: %d, code: 16500, errmsg: \"Error=16500, RetryAfterMs=1, Details=''\"}";

  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final AtomicLong nanos = new AtomicLong();
  private final List<Request> requests = new ArrayList<>();
  private final Deque<BsonDocument> replies = new ArrayDeque<>();
  private final SynchronousQueue<BsonDocument> answers = new SynchronousQueue<>();

  private long nanosOfARun;

  @AfterEach
  void stop() {
    timer.shutdownNow();
  }

  private BsonDocument run(String command, String... scripted) throws InterruptedException {
    for (String reply : scripted) {
      replies.add(BsonDocument.parse(reply));
    }
    var retry = new ServerSideRetry(new Workers(Runnable::run, timer), () -> true, nanos::get);
    var request =
        Request.message(
            new ClientConnection(1, "", ""),
            RawDocument.of(BsonDocument.parse(command)),
            List.of());
    Thread asking = new Thread(() -> retry.dispatch(request, this::answer, this::play));
    asking.start();
    return answers.poll(30, TimeUnit.SECONDS);
  }

  private void answer(BsonDocument reply) {
    try {
      answers.put(reply);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void play(Request request, Consumer<BsonDocument> replyTo) {
    requests.add(request);
    nanos.addAndGet(nanosOfARun);
    replyTo.accept(replies.remove());
  }

  @Test
  void aRefusedCommandIsTriedAgain() throws InterruptedException {
    BsonDocument reply =
        run("{find: 'a'}", "{ok: 0, code: 16500, errmsg: 'RetryAfterMs=1'}", "{x: 1, ok: 1}");
    assertThat(reply.getInt32("x").getValue()).isEqualTo(1);
    assertThat(requests).hasSize(2);
  }

  @Test
  void onlyTheRefusedItemsOfABatchAreTriedAgain() throws InterruptedException {
    BsonDocument reply =
        run(
            "{insert: 'a', txnNumber: 5, ordered: false,"
                + " documents: [{_id: 0}, {_id: 1}, {_id: 2}, {_id: 3}]}",
            "{n: 1, writeErrors: [%s, {index: 2, code: 11000, errmsg: 'dup'}, %s], ok: 1}"
                .formatted(REFUSED.formatted(1), REFUSED.formatted(3)),
            "{n: 1, writeErrors: [{index: 1, code: 11000, errmsg: 'dup'}], ok: 1}");
    assertThat(reply.toJson())
        .isEqualTo(
            "{\"n\": 2, \"writeErrors\": [{\"index\": 2, \"code\": 11000, \"errmsg\": \"dup\"},"
                + " {\"index\": 3, \"code\": 11000, \"errmsg\": \"dup\"}], \"ok\": 1}");
    Request second = requests.get(1);
    assertThat(second.body().field("txnNumber")).isNull();
    assertThat(second.sequences().get(0).documents())
        .extracting(one -> one.field("_id").asInt32())
        .containsExactly(1, 3);
  }

  @Test
  void anOrderedBatchGoesOnWhereItStopped() throws InterruptedException {
    BsonDocument reply =
        run(
            "{delete: 'a', deletes: [{q: {}}, {q: {}}, {q: {}}]}",
            "{n: 1, writeErrors: [%s], ok: 1}".formatted(REFUSED.formatted(1)),
            "{n: 2, ok: 1}");
    assertThat(reply.toJson()).isEqualTo("{\"n\": 3, \"ok\": 1}");
    assertThat(requests.get(1).sequences().get(0).documents()).hasSize(2);
  }

  @Test
  void afterAMinuteTheClientIsTold() throws InterruptedException {
    String late = "{ok: 0, code: 16500, errmsg: 'RetryAfterMs=61000'}";
    nanosOfARun = TimeUnit.MILLISECONDS.toNanos(59_500);
    long begin = System.nanoTime();
    BsonDocument reply = run("{find: 'a'}", late);
    assertThat(System.nanoTime() - begin)
        .as("the half second that was left")
        .isGreaterThan(TimeUnit.MILLISECONDS.toNanos(400));
    assertThat(reply.getInt32("code").getValue()).isEqualTo(50);
    assertThat(reply.getString("codeName").getValue()).isEqualTo("ExceededTimeLimit");
    assertThat(reply.getString("errmsg").getValue())
        .isEqualTo("Request timed out. Retries due to rate limiting: True.");
  }
}
