package dev.orrery.server.command;

import dev.orrery.lane.Lane;
import dev.orrery.lane.WouldWaitException;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import dev.orrery.server.command.Command.Trait;
import dev.orrery.server.operation.Operation;
import dev.orrery.server.operation.OperationListener;
import dev.orrery.server.operation.Operations;
import dev.orrery.server.session.ClusterClock;
import dev.orrery.server.session.Sessions;
import dev.orrery.server.throughput.Metering;
import dev.orrery.server.workload.RequestObserver;
import dev.orrery.storage.Receipt;
import dev.orrery.value.BsonEncoder;
import dev.orrery.value.RawDocument;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs commands: finds the command, reads the envelope, checks access, times the call, and is the
 * only place where an exception becomes a reply, a log line and a metric.
 */
public final class Dispatcher {
  private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

  private static final int REPLY_BYTES_EXPECTED = 4096;

  /** A request that is larger is read, planned and run elsewhere, however simple it looks. */
  static final int LOOP_BYTES_MAX = 32 << 10;

  /** What a thread keeps for its next reply. */
  private static final int KEPT_BYTES_MAX = 256 << 10;

  /** What the dispatcher works with. */
  public record Parts(
      CommandTable commands,
      Sessions sessions,
      ClusterClock clusterClock,
      AccessControl access,
      CommandMetrics metrics,
      Metering metering,
      Operations operations) {}

  private final Parts parts;
  private final Map<String, KnownCommand> commands = new HashMap<>();
  private final CallOpening opening;
  private final Executor workers;
  private final LongSupplier nanoClock;
  private final NameCache names = new NameCache();
  private final ThreadLocal<BsonEncoder> encoders =
      ThreadLocal.withInitial(() -> new BsonEncoder(REPLY_BYTES_EXPECTED));
  private volatile ClusterTime latest;
  private @Nullable ServerSideRetry retry;
  private @Nullable TransactionCalls transactions;
  private @Nullable Faults faults;
  private OperationListener listener = OperationListener.NONE;
  private RequestObserver recorder = RequestObserver.NONE;
  private Consumer<Throwable> fatal = failure -> {};

  /** {@code workers} run the long commands, and refuse when there are too many. */
  public Dispatcher(Parts parts, Executor workers, LongSupplier nanoClock) {
    this.parts = parts;
    this.workers = workers;
    this.nanoClock = nanoClock;
    this.opening = new CallOpening(parts, nanoClock);
    this.latest = ClusterTime.of(parts.clusterClock().now());
    parts
        .commands()
        .byName()
        .forEach((name, command) -> commands.put(name, KnownCommand.of(command, parts.metrics())));
  }

  /** Lets the server try again what is refused for its rate; to be called before the first call. */
  public Dispatcher retryingBy(ServerSideRetry serverSideRetry) {
    retry = serverSideRetry;
    return this;
  }

  /** Lets sessions have transactions; to be called before the first call. */
  public Dispatcher transactingBy(TransactionCalls calls) {
    transactions = calls;
    return this;
  }

  /** Lets requests meet faults; to be called before the first call. */
  public Dispatcher meeting(@Nullable Faults ordered) {
    faults = ordered;
    return this;
  }

  /** Tells of every call that ended; to be called before the first call. */
  public Dispatcher observedBy(OperationListener observer) {
    listener = observer;
    return this;
  }

  /** Shows every call that ended as it came; to be called before the first call. */
  public Dispatcher recordedBy(RequestObserver observer) {
    recorder = observer;
    return this;
  }

  /** Tells of what no later request will get over; to be called before the first call. */
  public Dispatcher failingBy(Consumer<Throwable> whenFatal) {
    fatal = whenFatal;
    return this;
  }

  /** A client is there, and will send requests. */
  public void opened(ClientConnection connection) {
    parts.operations().opened(connection);
  }

  /** A client is gone; its last request may still be running. */
  public void closed(ClientConnection connection) {
    connection.leave();
    parts.operations().closed(connection);
  }

  /** The server is about to stop: who waits for it, or for others, is told now. */
  public void stopping() {
    parts.operations().topology().end();
    parts.operations().killWaiting(ErrorCode.INTERRUPTED_AT_SHUTDOWN);
  }

  /** Lets the server refuse what it could do; to be called before the first call. */
  public Dispatcher obeying(RequestRules requestRules) {
    opening.obey(requestRules);
    return this;
  }

  /**
   * Runs the request and gives its reply to {@code replyTo}, exactly once, on any thread. Never
   * throws for what the request says, and never blocks.
   */
  public void dispatch(Request request, Consumer<BsonDocument> replyTo) {
    if (retry == null || !retry.isOn()) {
      tryOnce(request, replyTo);
    } else {
      retry.dispatch(request, replyTo, this::tryOnce);
    }
  }

  private void tryOnce(Request request, Consumer<BsonDocument> replyTo) {
    if (faults == null) {
      dispatchOnce(request, replyTo);
    } else {
      faults.dispatch(request, replyTo, this::dispatchOnce);
    }
  }

  private void dispatchOnce(Request request, Consumer<BsonDocument> replyTo) {
    CommandReader body = CommandReader.ofRequest(request, names);
    String name = body.commandName();
    KnownCommand known = commands.get(name);
    if (known == null) {
      parts.metrics().unknown();
      LOG.debug("no such command: {}", name);
      replyTo.accept(
          Replies.fail(
              ErrorCode.COMMAND_NOT_FOUND, "no such command: '" + name + "'", new BsonDocument()));
      return;
    }
    boolean isHeldBack =
        parts.operations().writeLock().isLocked()
            && known.spec().access() == Command.Access.WRITE
            && parts.operations().writeLock().holdBack(() -> comeBack(request, replyTo));
    if (isHeldBack) {
      return;
    }
    var call = new Call(request, body, known, replyTo, nanoClock.getAsLong());
    if (known.spec().has(Trait.LONG) || request.bytes() > LOOP_BYTES_MAX) {
      runElsewhere(call);
    } else {
      run(call);
    }
  }

  /** Goes on with a write that was held back, where its connection lives. */
  private void comeBack(Request request, Consumer<BsonDocument> replyTo) {
    request.connection().resume(() -> dispatchOnce(request, replyTo), workers);
  }

  /** Runs the call on a thread that may wait. */
  private void runElsewhere(Call call) {
    try {
      if (call.request.bytes() > LOOP_BYTES_MAX || !mayOpen(call)) {
        Allowance.of(new Call.Newcomer(call.request.connection()))
            .run(() -> workers.execute(() -> run(call.again(names))));
      } else {
        call.context.operation().allowance().run(() -> workers.execute(() -> runOpened(call)));
      }
    } catch (RejectedExecutionException full) {
      fail(call, Workers.tooManyWait());
    } catch (RuntimeException | Error failure) {
      fail(call, failure);
    }
  }

  /** Opens the call before it waits, so that it can be killed; false if that needs a thread. */
  private boolean mayOpen(Call call) {
    try {
      opening.open(call);
      return true;
    } catch (WouldWaitException onLoop) {
      return false;
    }
  }

  private void run(Call call) {
    try {
      opening.open(call);
      if (!call.context.readsNewest() || !answer(call)) {
        start(call);
      }
    } catch (WouldWaitException onLoop) {
      if (encoders.get().buffer().length > KEPT_BYTES_MAX) {
        encoders.remove();
      }
      CallMemory.expect(call, onLoop);
      startOver(call);
    } catch (RuntimeException | Error failure) {
      fail(call, failure);
    }
  }

  /** Begins a call anew on a thread that may wait: what it did so far changed nothing. */
  private void startOver(Call call) {
    if (call.context != null && call.context.hasWritten()) {
      fail(call, new IllegalStateException("a call that has written cannot be begun anew"));
    } else {
      CallMemory.release(call); // another one takes its place
      runElsewhere(call.again(names));
    }
  }

  /** Goes on with a call that waited for a thread, and may have ended meanwhile. */
  private void runOpened(Call call) {
    try {
      call.context.operation().check();
      start(call);
    } catch (RuntimeException | Error failure) {
      fail(call, failure);
    }
  }

  private void start(Call call) {
    // What answers on the spot loops over nothing that a client chooses; all others may.
    Allowance allowance = call.context.operation().allowance();
    if (Lane.current() == Lane.EVENT_LOOP) {
      allowance.pauseBy(call::leaveTheLoopIfLate);
    }
    var stage =
        allowance
            .grant(
                () -> {
                  CallMemory.awaitRequest(call, LOOP_BYTES_MAX);
                  return begin(call);
                })
            .toCompletableFuture();
    if (stage.isDone() && !stage.isCompletedExceptionally()) {
      await(call, stage.join());
      return;
    }
    stage.whenComplete((reply, failure) -> resume(call, failure, () -> await(call, reply)));
  }

  private CompletionStage<BsonDocument> begin(Call call) {
    Supplier<CompletionStage<BsonDocument>> start =
        () -> call.known.command().start(call.context, call.body);
    if (call.context.readsNewest()) {
      return start.get();
    }
    if (transactions == null) {
      throw new CommandException(
          ErrorCode.ILLEGAL_OPERATION, "there are no transactions on this server");
    }
    return call.context.sessionFields().isTransaction()
        ? transactions.run(call.context, call.known.spec(), start)
        : transactions.runAt(call.context, start);
  }

  /** Gives the reply of a command that can write it at once; false for any other. */
  private boolean answer(Call call) {
    BsonEncoder reply = encoders.get();
    reply.truncate(0);
    int start = reply.startDocument();
    CallMemory.awaitReply(call, call.replyBytes);
    if (!call.known.command().answer(call.context, call.body, reply)) {
      call.context.operation().releaseReply();
      return false;
    }
    CallMemory.awaitReply(call, reply.length());
    count(call);
    latest = latest.at(parts.clusterClock());
    reply.writeElements(latest.lastFields());
    reply.endDocument(start);
    if (isNotable(call)) {
      RawDocument kept = RawDocument.wrap(Arrays.copyOf(reply.buffer(), reply.length()));
      note(call, kept.toBsonDocument(), () -> ReplyTarget.give(call.replyTo, kept));
    } else {
      ReplyTarget.give(call.replyTo, RawDocument.wrap(reply.buffer(), 0, reply.length()));
    }
    if (reply.buffer().length > KEPT_BYTES_MAX) {
      encoders.remove();
    }
    call.context.operation().releaseReply();
    return true;
  }

  /**
   * Goes on with a call that waited, never on the thread that made the log durable: everybody else
   * waits for that one.
   */
  private void resume(Call call, Throwable failure, Runnable next) {
    if (Lane.current() == Lane.COMMITTER) {
      call.request.connection().resume(() -> goOn(call, failure, next), workers);
    } else {
      goOn(call, failure, next);
    }
  }

  private void goOn(Call call, Throwable failure, Runnable next) {
    if (failure != null) {
      fail(call, failure);
      return;
    }
    try {
      next.run();
    } catch (RuntimeException | Error late) {
      fail(call, late);
    }
  }

  /** Sends the reply once the write behind it is as safe as the client asked for. */
  private void await(Call call, BsonDocument reply) {
    Receipt receipt = call.context.receipt();
    if (receipt == Receipt.NONE) {
      succeed(call, reply);
      return;
    }
    receipt
        .whenDurable()
        .whenComplete((ignored, failure) -> resume(call, failure, () -> succeed(call, reply)));
  }

  private void succeed(Call call, BsonDocument reply) {
    Command.Spec spec = call.known.spec();
    if (spec.has(Trait.WRITE_CONCERN) && !opening.ignoresWriteConcern()) {
      BsonDocument error = call.context.writeConcern().error();
      if (error != null) {
        reply.append("writeConcernError", error);
      }
    }
    count(call);
    if (call.replyTo instanceof ReplyTarget target && !reply.containsKey("ok")) {
      if (isNotable(call)) {
        note(call, Replies.succeed(Replies.copy(reply)), () -> sendTimed(call, target, reply));
      } else {
        sendTimed(call, target, reply);
      }
      return;
    }
    send(call, Replies.succeed(reply));
  }

  private void sendTimed(Call call, ReplyTarget target, BsonDocument reply) {
    latest = latest.at(parts.clusterClock());
    target.accept(reply, latest.lastFieldsAt(call.context.operationTime()));
    call.context.operation().releaseReply();
  }

  /** Counts a call that succeeded. */
  private void count(Call call) {
    Command.Spec spec = call.known.spec();
    long nanos = end(call);
    call.known.counts().succeeded(call.context.operation().statements(), nanos);
    settle(call, nanos);
    if (LOG.isDebugEnabled()) { // or the number becomes an object for nothing
      LOG.debug("{} took {} us", spec.name(), nanos / 1000);
    }
  }

  private void fail(Call call, Throwable thrown) {
    try {
      CallMemory.undo(call);
      answerWith(call, thrown);
    } catch (RuntimeException | Error again) {
      giveUp(call, again); // no memory for the reply, most likely
    }
  }

  /** A client that gets no reply must not wait for one. */
  private void giveUp(Call call, Throwable failure) {
    try {
      CommandFailures.tellIfFatal(failure, fatal);
      CallMemory.undo(call);
      LOG.error("{} cannot be answered", call.known.spec().name(), failure);
    } finally {
      call.request.connection().hangUp();
    }
  }

  private void answerWith(Call call, Throwable thrown) {
    Throwable failure = thrown instanceof CompletionException ? thrown.getCause() : thrown;
    Command.Spec spec = call.known.spec();
    CommandFailures.tellIfFatal(failure, fatal);
    CommandException error =
        TransactionCalls.withLabel(
            CommandFailures.toCommandException(failure, parts.operations().topology()),
            call.context);
    boolean isInternal = error == null;
    call.known.counts().failed(isInternal);
    if (call.context != null) {
      call.context.operation().fail(isInternal ? ErrorCode.INTERNAL_ERROR : error.code());
      settle(call, end(call));
    }
    if (isInternal) {
      LOG.error("{} failed", spec.name(), failure);
      send(
          call,
          Replies.fail(ErrorCode.INTERNAL_ERROR, String.valueOf(failure), new BsonDocument()));
      return;
    }
    LOG.debug("{} answered {}: {}", spec.name(), error.code(), error.getMessage());
    send(call, Replies.fail(error));
  }

  /** Stops the call's time, once for all who ask how long it took. */
  private long end(Call call) {
    call.endNanos = nanoClock.getAsLong();
    return call.endNanos - call.startNanos;
  }

  private void settle(Call call, long nanos) {
    Settlement.settle(
        call.context, call.request, call.known.spec().name(), nanos, parts.metering());
  }

  /** Ends the operation; true when it is to be written down. */
  private boolean isNotable(Call call) {
    call.request.connection().end();
    Operation operation = call.context.operation();
    operation.releaseMemory();
    long nanos = operation.nanosUntil(call.endNanos);
    recorder.ended(operation, call.request::beside, nanos);
    return listener.ended(operation, nanos);
  }

  /** Writes a call down before its reply leaves. */
  private void note(Call call, BsonDocument reply, Runnable send) {
    Operation operation = call.context.operation();
    listener.write(
        new OperationListener.Ended(operation, reply, operation.nanosUntil(call.endNanos)),
        () -> {
          try {
            send.run();
          } catch (RuntimeException | Error failure) {
            giveUp(call, failure);
          }
        });
  }

  private void send(Call call, BsonDocument reply) {
    if (call.context != null && isNotable(call)) {
      note(call, reply, () -> sendNow(call, reply));
    } else {
      sendNow(call, reply);
    }
  }

  private void sendNow(Call call, BsonDocument reply) {
    latest = latest.at(parts.clusterClock());
    latest.appendTo(reply, call.context == null ? 0 : call.context.operationTime());
    call.replyTo.accept(reply);
    if (call.context != null) {
      call.context.operation().releaseReply();
    }
  }
}
