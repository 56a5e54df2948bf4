package dev.orrery.server.command;

import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.operation.Topology;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets commands fail as the fail point says that was set last. Thread-safe. */
public final class FailedCommands {
  private static final Logger LOG = LoggerFactory.getLogger(FailedCommands.class);
  private static final String WORDS = "Failing command via 'failCommand' failpoint";

  private final AtomicReference<FailPoint> point = new AtomicReference<>();
  private final AtomicInteger struck = new AtomicInteger();
  private final Workers workers;
  private final Topology topology;

  FailedCommands(Workers workers, Topology topology) {
    this.workers = workers;
    this.topology = topology;
  }

  /**
   * Sets the fail point in the place of the one before; null switches it off.
   *
   * @return how many commands were struck since the start of the server
   */
  public int set(@Nullable FailPoint next) {
    point.set(next);
    return struck.get();
  }

  /** Takes care of a request that is struck; false for all others. */
  boolean take(
      Request request,
      Consumer<BsonDocument> replyTo,
      BiConsumer<Request, Consumer<BsonDocument>> next) {
    FailPoint set = point.get();
    if (set == null || !set.strikes(request)) {
      return false;
    }
    struck.incrementAndGet();
    LOG.info("the fail point failCommand strikes {}", request.commandName());
    FailPoint.Effect effect = set.effect();
    Runnable strike = () -> strike(effect, request, replyTo, next);
    if (effect.blockMillis() > 0) {
      workers.runLater(effect.blockMillis(), strike);
    } else {
      strike.run();
    }
    return true;
  }

  private void strike(
      FailPoint.Effect effect,
      Request request,
      Consumer<BsonDocument> replyTo,
      BiConsumer<Request, Consumer<BsonDocument>> next) {
    if (effect.closes()) {
      request.connection().hangUp();
    } else if (effect.code() != 0) {
      var fault = new Fault.Effect(0, effect.code(), effect.labels(), null);
      BsonDocument reply = refusal(request, WORDS, fault);
      reply.putAll(effect.extra());
      replyTo.accept(reply);
    } else if (effect.writeConcernError() != null) {
      next.accept(request, reply -> replyTo.accept(unsure(effect, reply, sent(request))));
    } else {
      next.accept(request, replyTo);
    }
  }

  private static ErrorLabels.Sent sent(Request request) {
    return new ErrorLabels.Sent(
        request.body().field("txnNumber") != null,
        request.body().field("autocommit") != null,
        ErrorLabels.isEnd(request.commandName()));
  }

  /** The answer to a request that fails with the code and the labels of a fault. */
  BsonDocument refusal(Request request, String words, Fault.Effect effect) {
    var reply = new BsonDocument();
    addLabels(reply, effect.labels(), ErrorLabels.of(effect.code(), 0, sent(request)));
    if (CommandFailures.isAboutRole(effect.code())) {
      reply.append("topologyVersion", topology.version()); // nothing new for who knows it
    }
    return reply
        .append("ok", new BsonDouble(0))
        .append("errmsg", new BsonString(words))
        .append("code", new BsonInt32(effect.code()))
        .append("codeName", new BsonString(ErrorCode.nameOf(effect.code())));
  }

  /** The command was run, and its reply says that its write may be lost. */
  private static BsonDocument unsure(
      FailPoint.Effect effect, BsonDocument reply, ErrorLabels.Sent sent) {
    BsonDocument error = effect.writeConcernError();
    int concern = error.isNumber("code") ? error.getNumber("code").intValue() : 0;
    int code = reply.isNumber("code") ? reply.getNumber("code").intValue() : 0;
    var unsure = new BsonDocument();
    if (!reply.containsKey("errorLabels")) {
      addLabels(unsure, effect.labels(), ErrorLabels.of(code, concern, sent));
    }
    reply.forEach(
        (name, value) -> {
          if (name.equals("ok")) {
            unsure.append("writeConcernError", error);
          }
          unsure.append(name, value);
        });
    return unsure;
  }

  private static void addLabels(
      BsonDocument reply, @Nullable BsonArray ordered, @Nullable BsonArray usual) {
    BsonArray labels = ordered == null ? usual : ordered;
    if (labels != null && !labels.isEmpty()) {
      reply.append("errorLabels", labels);
    }
  }
}
