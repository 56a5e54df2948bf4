package dev.orrery.server.command;

import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.throughput.RateLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * Cosmos DB's capability to wait in the client's place: what is refused for want of request units
 * is tried again by the server for a minute, without holding a thread. Of a batch of writes only
 * what was refused is tried again.
 */
public final class ServerSideRetry {
  static final long SECONDS_MAX = 60;

  /** Cosmos DB's name of code 50. */
  static final String TIMED_OUT_NAME = "ExceededTimeLimit";

  static final String TIMED_OUT = "Request timed out. Retries due to rate limiting: True.";

  private final Workers workers;
  private final BooleanSupplier isOn;
  private final LongSupplier nanoClock;

  public ServerSideRetry(Workers workers, BooleanSupplier isOn, LongSupplier nanoClock) {
    this.workers = workers;
    this.isOn = isOn;
    this.nanoClock = nanoClock;
  }

  boolean isOn() {
    return isOn.getAsBoolean();
  }

  /** Runs a request by {@code run}, again and again if need be, and gives its reply. */
  void dispatch(
      Request request,
      Consumer<BsonDocument> replyTo,
      BiConsumer<Request, Consumer<BsonDocument>> run) {
    long end = nanoClock.getAsLong() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
    new Attempt(request, replyTo, run, end).start();
  }

  /** One request on its way through any number of tries. */
  private final class Attempt {
    private final Consumer<BsonDocument> replyTo;
    private final BiConsumer<Request, Consumer<BsonDocument>> run;
    private final long endNanos;
    private Request request;
    private final List<RefusedWrites> parts = new ArrayList<>();

    Attempt(
        Request request,
        Consumer<BsonDocument> replyTo,
        BiConsumer<Request, Consumer<BsonDocument>> run,
        long endNanos) {
      this.request = request;
      this.replyTo = replyTo;
      this.run = run;
      this.endNanos = endNanos;
    }

    void start() {
      run.accept(request, this::took);
    }

    private void took(BsonDocument reply) {
      if (isRefused(reply)) {
        String message = reply.getString("errmsg").getValue();
        again(reply, RateLimit.retryAfterMillis(message));
        return;
      }
      RefusedWrites refused = RefusedWrites.find(request, reply);
      if (refused == null) {
        finish(reply);
        return;
      }
      Request rest = refused.rest();
      parts.add(refused);
      request = rest;
      again(null, refused.retryAfterMillis());
    }

    private void again(@Nullable BsonDocument refused, long millis) {
      long left = TimeUnit.NANOSECONDS.toMillis(endNanos - nanoClock.getAsLong());
      try {
        if (millis <= left) {
          workers.runLater(millis, this::start);
          return;
        }
        if (left > 0) {
          // The units come too late; the client is told when its time is up, and not before.
          workers.runLater(left, () -> giveUp(refused));
          return;
        }
      } catch (RejectedExecutionException stopping) {
        // told at once, as when the time is up
      }
      giveUp(refused);
    }

    private void giveUp(@Nullable BsonDocument refused) {
      if (refused == null) {
        RefusedWrites last = parts.remove(parts.size() - 1);
        finish(last.timedOut());
      } else {
        BsonDocument late =
            Replies.fail(ErrorCode.MAX_TIME_MS_EXPIRED, TIMED_OUT, new BsonDocument());
        late.put("codeName", new BsonString(TIMED_OUT_NAME));
        finish(late);
      }
    }

    /** The last reply, with those of the tries before it. */
    private void finish(BsonDocument last) {
      BsonDocument reply = last;
      for (int i = parts.size() - 1; i >= 0; i--) {
        reply = parts.get(i).mergedWith(reply);
      }
      replyTo.accept(reply);
    }
  }

  private static boolean isRefused(BsonDocument reply) {
    BsonValue code = reply.get("code");
    return code != null
        && code.isNumber()
        && code.asNumber().intValue() == ErrorCode.REQUEST_RATE_TOO_LARGE.number();
  }
}
