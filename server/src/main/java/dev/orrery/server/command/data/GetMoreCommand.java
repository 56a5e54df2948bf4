package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.auth.Action;
import dev.orrery.server.auth.Resource;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.CommandReader;
import dev.orrery.server.command.FieldErrors;
import dev.orrery.server.command.Names;
import dev.orrery.server.command.StagedCommand;
import dev.orrery.server.command.Workers;
import dev.orrery.server.cursor.ClientCursor;
import dev.orrery.server.cursor.CursorRegistry;
import dev.orrery.server.cursor.Following;
import dev.orrery.server.operation.Operation;
import dev.orrery.server.session.SessionId;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;

/** {@code getMore}: the next batch of a cursor. */
public final class GetMoreCommand implements StagedCommand {
  private static final Spec SPEC =
      Spec.of("getMore", Access.READ, Trait.PARSED_FIRST, Trait.STABLE_API, Trait.TRANSACTION);
  private static final String DURING = "Executor error during getMore";

  /** What a cursor on a collection may show. */
  private static final Set<Action> READING =
      EnumSet.of(
          Action.COLL_STATS,
          Action.FIND,
          Action.INDEX_STATS,
          Action.LIST_INDEXES,
          Action.PLAN_CACHE_READ);

  private static final long AWAIT_MILLIS_DEFAULT = 1000;
  private static final long AWAIT_STEP_MILLIS = 10;

  /** How long it may take until one who waits for changes notices that he was killed. */
  private static final long FOLLOW_STEP_MILLIS = 250;

  /** How soon a stream looks again whether there is memory for what comes next. */
  private static final long ROOM_STEP_MILLIS = 20;

  private final CursorRegistry cursors;
  private final Workers workers;

  public GetMoreCommand(DataServices services) {
    this.cursors = services.cursors();
    this.workers = services.workers();
  }

  @Override
  public Spec spec() {
    return SPEC;
  }

  /**
   * What a getMore asks for.
   *
   * @param batchSize 0 when it was not given, or given as 0
   */
  private record Params(long id, Namespace namespace, long batchSize) {
    static Params parse(String database, CommandReader body) {
      long id = body.requireExactInt64("getMore");
      String collection = body.requireString("collection");
      if (collection.isEmpty()) {
        throw FieldErrors.invalidNamespace("Collection names cannot be empty");
      }
      Names.requireNamespace(database, collection);
      var params =
          new Params(id, new Namespace(database, collection), body.nonNegative("batchSize", 0));
      body.ignore("term", "lastKnownCommittedOpTime");
      body.finish();
      return params;
    }

    long count() {
      return batchSize == 0 ? Long.MAX_VALUE : batchSize;
    }
  }

  @Override
  public CompletionStage<BsonDocument> start(CommandContext context, CommandReader body) {
    Params params = Params.parse(context.database(), body);
    context.enterTransaction();
    ClientCursor cursor = cursors.find(params.id);
    boolean isAtPoint = cursor != null && cursor.owner().isAtPoint();
    if (context.readConcern().isSnapshot() && !isAtPoint) {
      throw context.readConcernNotTaken(SPEC);
    }
    if (cursor == null) {
      throw notFound(params.id);
    }
    requireOwner(context, params, cursor);
    if (context.maxTimeMillis() > 0 && !cursor.awaitsData()) {
      throw new CommandException(
          ErrorCode.BAD_VALUE,
          "cannot set maxTimeMS on getMore command for a non-awaitData cursor");
    }
    if (cursor.metered() != null) {
      context.work().admit(cursor.metered());
    }
    switch (cursors.take(params.id)) {
      case OK -> {}
      case NOT_FOUND -> throw notFound(params.id);
      case IN_USE ->
          throw new CommandException(
              ErrorCode.CURSOR_IN_USE, "cursor id " + params.id + " is already in use");
    }
    if (cursor.following() != null) {
      return follow(context, params, cursor);
    }
    if (cursor.awaitsData()) {
      return await(context, params, cursor);
    }
    try {
      return workers.run(() -> next(context, params, cursor));
    } catch (CommandException overloaded) {
      cursors.release(params.id);
      throw overloaded;
    }
  }

  private static CommandException notFound(long id) {
    return new CommandException(ErrorCode.CURSOR_NOT_FOUND, "cursor id " + id + " not found");
  }

  /** A cursor belongs to the transaction in which it was opened. */
  private static void requireTransaction(
      CommandContext context, Params params, ClientCursor cursor) {
    Long opened = cursor.owner().transaction();
    Long asking =
        context.sessionFields().isTransaction() ? context.sessionFields().txnNumber() : null;
    if (opened == null && asking != null) {
      throw new CommandException(
          ErrorCode.LOCATION_50739,
          "Cannot run getMore on cursor %d, which was not created in a transaction, in transaction"
                  .formatted(params.id)
              + " "
              + asking);
    }
    if (opened != null && asking == null) {
      throw new CommandException(
          ErrorCode.LOCATION_50740,
          "Cannot run getMore on cursor %d, which was created in transaction %d, without a txnNumber"
              .formatted(params.id, opened));
    }
    if (opened != null && !opened.equals(asking)) {
      throw new CommandException(
          ErrorCode.LOCATION_50741,
          "Cannot run getMore on cursor %d, which was created in transaction %d, in transaction %d"
              .formatted(params.id, opened, asking));
    }
  }

  private static void requireOwner(CommandContext context, Params params, ClientCursor cursor) {
    if (!Cursors.isOwn(context, cursor)) {
      throw new CommandException(
          ErrorCode.UNAUTHORIZED,
          "cursor id " + params.id + " was not created by the authenticated user");
    }
    if (!cursor.owner().namespace().equals(params.namespace)) {
      throw new CommandException(
          ErrorCode.UNAUTHORIZED,
          "Requested getMore on namespace '%s', but cursor belongs to a different namespace %s"
              .formatted(params.namespace, cursor.owner().namespace()));
    }
    requireStillAllowed(context, params);
    var opened = (SessionId) cursor.owner().session();
    SessionId asking = context.sessionFields().session();
    if (opened == null && asking != null) {
      throw new CommandException(
          ErrorCode.LOCATION_50736,
          "Cannot run getMore on cursor %d, which was not created in a session, in session %s"
              .formatted(params.id, asking.text()));
    }
    if (opened != null && asking == null) {
      throw new CommandException(
          ErrorCode.LOCATION_50737,
          "Cannot run getMore on cursor %d, which was created in session %s, without an lsid"
              .formatted(params.id, opened.text()));
    }
    if (opened != null && !opened.equals(asking)) {
      throw new CommandException(
          ErrorCode.LOCATION_50738,
          "Cannot run getMore on cursor %d, which was created in session %s, in session %s"
              .formatted(params.id, opened.text(), asking.text()));
    }
    requireTransaction(context, params, cursor);
  }

  /** Whoever opened it was allowed to; what was revoked since ends it. */
  private static void requireStillAllowed(CommandContext context, Params params) {
    Namespace namespace = params.namespace;
    boolean isListing = namespace.collection().startsWith("$cmd.");
    var target = Resource.collection(namespace.database(), namespace.collection());
    if (!isListing && READING.stream().noneMatch(action -> context.allows(action, target))) {
      throw new CommandException(
          ErrorCode.UNAUTHORIZED, "not authorized for getMore with cursor id " + params.id);
    }
  }

  private BsonDocument next(CommandContext context, Params params, ClientCursor cursor) {
    return reply(context, params, cursor, read(context, params, cursor));
  }

  /** The next batch; a cursor that fails is gone. */
  private List<RawDocument> read(CommandContext context, Params params, ClientCursor cursor) {
    boolean isDone = false;
    try {
      cursor.requireAlive();
      Operation operation = context.operation().limitedToNanos(cursor.nanosLeft());
      operation.watch(cursor.execution());
      operation.check();
      List<RawDocument> batch = cursor.nextBatch(params.count(), operation.replyMemory());
      cursor.leave(operation.remainingNanos());
      if (cursor.metered() != null) {
        context.work().read(cursor.metered(), batch);
      }
      isDone = true;
      return batch;
    } catch (CommandException e) {
      throw e.code() == ErrorCode.QUERY_PLAN_KILLED ? e : Cursors.during(DURING, e);
    } finally {
      if (!isDone) {
        cursors.remove(params.id);
      }
    }
  }

  private BsonDocument reply(
      CommandContext context, Params params, ClientCursor cursor, List<RawDocument> batch) {
    boolean isLast = cursor.isExhausted();
    long id = isLast ? 0 : params.id;
    BsonDocument reply =
        cursor.following() == null
            ? Cursors.next(batch, id, params.namespace)
            : Cursors.of("nextBatch", batch, cursor, id, params.namespace);
    if (isLast) {
      cursors.remove(params.id);
    } else {
      cursors.release(params.id);
      context.onFailure(() -> cursors.kill(params.id)); // what was read cannot be read again
    }
    return reply;
  }

  /** Reads again and again until there is something, or the time to wait is over. */
  private CompletionStage<BsonDocument> await(
      CommandContext context, Params params, ClientCursor cursor) {
    context.operation().limitedTo(0); // maxTimeMS is how long it waits
    cursor.execution().interruptBy(() -> {});
    long millis = context.maxTimeMillis() > 0 ? context.maxTimeMillis() : AWAIT_MILLIS_DEFAULT;
    var reply = new CompletableFuture<BsonDocument>();
    var waiting = new Waiting(context, params, cursor, reply);
    workers.runLater(0, () -> await(waiting, millis));
    return reply;
  }

  /** Reads what there is, or waits to be woken up when there is more. */
  private CompletionStage<BsonDocument> follow(
      CommandContext context, Params params, ClientCursor cursor) {
    context.operation().limitedTo(0); // maxTimeMS is how long it waits
    cursor.execution().interruptBy(context.operation()::check);
    long millis = context.maxTimeMillis() > 0 ? context.maxTimeMillis() : AWAIT_MILLIS_DEFAULT;
    var reply = new CompletableFuture<BsonDocument>();
    var waiting = new Waiting(context, params, cursor, reply);
    workers.runSoon(() -> follow(waiting, millis));
    return reply;
  }

  private void follow(Waiting waiting, long millis) {
    Params params = waiting.params;
    ClientCursor cursor = waiting.cursor;
    Following.Ring ring = null;
    try {
      Operation operation = waiting.operation();
      operation.goOn();
      operation.check();
      cursor.execution().memory().wake();
      ring = cursor.following().listen();
      List<RawDocument> batch =
          operation
              .allowance()
              .grant(() -> cursor.nextBatch(params.count(), operation.replyMemory()));
      boolean isOpen = !cursors.isKilled(params.id) && !cursor.following().isOver();
      if (batch.isEmpty() && millis > 0 && isOpen && cursor.lacksRoom()) {
        ring.cancel();
        letGo(waiting);
        operation.willWait(ROOM_STEP_MILLIS);
        workers.runLater(ROOM_STEP_MILLIS, () -> follow(waiting, millis - ROOM_STEP_MILLIS));
        return;
      }
      if (batch.isEmpty() && millis > 0 && isOpen) {
        letGo(waiting);
        listen(waiting, ring, millis);
        return;
      }
      waiting.reply.complete(reply(waiting.context, params, cursor, batch));
    } catch (RuntimeException | Error e) { // whatever it is, somebody waits for an answer
      cursors.remove(params.id);
      waiting.reply.completeExceptionally(
          e instanceof CommandException error ? StreamFailures.during(DURING, error) : e);
    }
    if (ring != null) {
      ring.cancel();
    }
  }

  /** Waits for the bell, and looks now and then whether somebody still wants to know. */
  private void listen(Waiting waiting, Following.Ring ring, long millis) {
    long start = System.nanoTime();
    waiting.operation().waitWith(() -> {}); // it looks when the step is over
    ring.await(
        Math.min(millis, FOLLOW_STEP_MILLIS),
        () -> follow(waiting, millis - waited(waiting, start)),
        () -> {
          long left = millis - waited(waiting, start);
          boolean isWanted = !waiting.operation().isKilled() && !cursors.isKilled(waiting.id());
          if (left > 0 && isWanted) {
            listen(waiting, ring, left);
          } else {
            ring.cancel();
            follow(waiting, left);
          }
        });
  }

  /** How long it waited, which is no time that its operation took. */
  private static long waited(Waiting waiting, long start) {
    long waited = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    waiting.operation().willWait(waited);
    return waited;
  }

  /** Whoever waits had better hold nothing, as there may be many who wait for long. */
  private static void letGo(Waiting waiting) {
    waiting.cursor.execution().memory().rest();
    waiting.operation().releaseReply();
  }

  /** A getMore that waits for more. */
  private record Waiting(
      CommandContext context,
      Params params,
      ClientCursor cursor,
      CompletableFuture<BsonDocument> reply) {
    Operation operation() {
      return context.operation();
    }

    long id() {
      return params.id;
    }
  }

  private void await(Waiting waiting, long millis) {
    Params params = waiting.params;
    try {
      Operation operation = waiting.operation();
      operation.goOn();
      operation.check();
      waiting.cursor.requireAlive();
      List<RawDocument> batch =
          operation
              .allowance()
              .grant(() -> waiting.cursor.nextBatch(params.count(), operation.replyMemory()));
      if (batch.isEmpty() && millis > 0 && !cursors.isKilled(params.id)) {
        long step = Math.min(millis, AWAIT_STEP_MILLIS);
        operation.willWait(step);
        operation.waitWith(() -> {});
        workers.runLater(step, () -> await(waiting, millis - step));
        return;
      }
      waiting.reply.complete(reply(waiting.context, params, waiting.cursor, batch));
    } catch (RuntimeException | Error e) { // whatever it is, somebody waits for an answer
      cursors.remove(params.id);
      waiting.reply.completeExceptionally(e);
    }
  }
}
