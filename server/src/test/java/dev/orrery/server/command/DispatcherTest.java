package dev.orrery.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.lane.Lane;
import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.limit.Allowance;
import dev.orrery.server.command.Command.Access;
import dev.orrery.server.command.Command.Spec;
import dev.orrery.server.command.Command.Trait;
import dev.orrery.storage.Receipt;
import dev.orrery.storage.StorageException;
import dev.orrery.value.RawDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;

class DispatcherTest {
  /** A command made of a function. */
  private record Fake(Spec spec, BiFunction<CommandContext, CommandReader, BsonDocument> body)
      implements Command {
    @Override
    public BsonDocument run(CommandContext context, CommandReader reader) {
      return body.apply(context, reader);
    }
  }

  /** A command that answers when the test says so. */
  private record Waiting(CompletableFuture<BsonDocument> reply) implements Command {
    @Override
    public Spec spec() {
      return Spec.of("wait", Access.READ);
    }

    @Override
    public BsonDocument run(CommandContext context, CommandReader body) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<BsonDocument> start(CommandContext context, CommandReader body) {
      return reply;
    }
  }

  private static Fake throwing(RuntimeException failure) {
    return new Fake(
        Spec.of("fail", Access.READ),
        (context, body) -> {
          throw failure;
        });
  }

  /** A change whose end somebody else decides on. */
  private record Pending(CompletionStage<?> whenDurable) implements Receipt {
    @Override
    public long time() {
      return 42;
    }

    @Override
    public Receipt with(Receipt other) {
      return this;
    }
  }

  private static Fake write(CompletionStage<?> disk) {
    return new Fake(
        Spec.of("write", Access.WRITE, Trait.RETRYABLE_WRITE, Trait.WRITE_CONCERN),
        (context, body) -> {
          context.awaitDurable(new Pending(disk));
          return new BsonDocument("n", new BsonInt32(1));
        });
  }

  @Test
  void aCommandWorksUnderItsOwnAllowance() {
    var seen = new ArrayList<Allowance>();
    var server =
        new CommandFixture()
            .with(
                new Fake(
                    Spec.of("look", Access.READ),
                    (context, body) -> {
                      seen.add(Allowance.current());
                      seen.add(context.operation().allowance());
                      context.operation().kill(ErrorCode.INTERRUPTED);
                      Allowance.current().check();
                      return new BsonDocument();
                    }));

    assertThat(server.error("{look: 1}")).isEqualTo("11601 Interrupted: operation was interrupted");
    assertThat(seen.get(0)).isSameAs(seen.get(1)).isNotSameAs(Allowance.UNLIMITED);
    assertThat(Allowance.current()).isSameAs(Allowance.UNLIMITED);
  }

  @Test
  void workInThePoolHasTheAllowanceOfItsCommandAndDoesNotBeginWhenThatHasEnded() throws Exception {
    var queue = new ArrayList<Runnable>();
    var workers = new Workers(queue::add, null);
    var seen = new ArrayList<Allowance>();
    var isOver = new AtomicBoolean();
    Allowance allowance =
        Allowance.of(
            () -> {
              if (isOver.get()) {
                throw new CommandException(ErrorCode.INTERRUPTED, "over");
              }
            });
    Supplier<BsonDocument> look =
        () -> {
          seen.add(Allowance.current());
          return new BsonDocument();
        };
    var first = allowance.grant(() -> workers.run(look)).toCompletableFuture();
    var second = allowance.grant(() -> workers.run(look)).toCompletableFuture();
    queue.get(0).run();
    isOver.set(true);
    queue.get(1).run();

    assertThat(first).isCompleted();
    assertThat(second).isCompletedExceptionally();
    assertThat(seen).containsExactly(allowance);
    assertThat(Allowance.current()).isSameAs(Allowance.UNLIMITED);
  }

  @Test
  void whatTakesLongOnAnEventLoopIsBegunAnewElsewhere() throws Exception {
    var lanes = new ArrayList<Lane>();
    var elsewhere = new ArrayList<Runnable>();
    var replies = new ArrayList<BsonDocument>();
    var server =
        new CommandFixture()
            .with(
                new Fake(
                    Spec.of("compute", Access.READ),
                    (context, body) -> {
                      lanes.add(Lane.current());
                      for (int i = 0; i < 1_000_000; i++) {
                        Allowance.current().step();
                      }
                      return new BsonDocument();
                    }));
    server.nanosPerReading = 1_000_000;
    server.workers = elsewhere::add;
    var body = RawDocument.of(BsonDocument.parse("{compute: 1, $db: 'admin'}"));
    var request = Request.message(server.connection, body, List.of());
    Dispatcher dispatcher = server.dispatcher();
    Thread loop = Lane.EVENT_LOOP.thread("loop", () -> dispatcher.dispatch(request, replies::add));
    loop.start();
    loop.join();
    assertThat(replies).isEmpty();
    assertThat(elsewhere).hasSize(1);

    elsewhere.get(0).run();
    assertThat(lanes).containsExactly(Lane.EVENT_LOOP, Lane.FOREIGN);
    assertThat(replies).hasSize(1);
    assertThat(replies.get(0).getDouble("ok").getValue()).isOne();
  }

  private static Fake erring(Error failure) {
    return new Fake(
        Spec.of("fail", Access.READ),
        (context, body) -> {
          throw failure;
        });
  }

  private static List<Throwable> fatal(Error failure) {
    var told = new ArrayList<Throwable>();
    var server = new CommandFixture().with(erring(failure));
    var replies = new ArrayList<BsonDocument>();
    var body = RawDocument.of(BsonDocument.parse("{fail: 1, $db: 'admin'}"));
    server
        .dispatcher()
        .failingBy(told::add)
        .dispatch(Request.message(server.connection, body, List.of()), replies::add);
    assertThat(replies).hasSize(1);
    assertThat(replies.get(0).getDouble("ok").getValue()).isZero();
    return told;
  }

  @Test
  void aClassThatCannotBeInitializedIsTheServersEndAndNoMemoryForOneRequestIsNot() {
    var lost = new NoClassDefFoundError("Could not initialize class X");
    assertThat(fatal(lost)).containsExactly(lost);
    var first = new ExceptionInInitializerError(new OutOfMemoryError("Java heap space"));
    assertThat(fatal(first)).containsExactly(first);
    var inside = new OutOfMemoryError("Java heap space");
    inside.setStackTrace(
        new StackTraceElement[] {
          new StackTraceElement("A", "make", "A.java", 1),
          new StackTraceElement("B", "<clinit>", "B.java", 1)
        });
    assertThat(fatal(inside)).containsExactly(inside);
    assertThat(fatal(new OutOfMemoryError("Java heap space"))).isEmpty();
    assertThat(fatal(new StackOverflowError())).isEmpty();
  }

  @Test
  void anUnknownCommandIsACleanError() {
    var server = new CommandFixture();
    assertThat(server.answer("{Find: 'c'}"))
        .isEqualTo(
            CommandFixture.canonical(
                "{ok: 0.0, errmsg: \"no such command: 'Find'\", code: 59, codeName:"
                    + " 'CommandNotFound'}"));
    assertThat(server.error("{atlasVersion: 1}")).startsWith("59 CommandNotFound");
    assertThat(server.error("{isdbgrid: 1}")).startsWith("59 CommandNotFound");
    assertThat(server.error("{getFreeMonitoringStatus: 1}")).startsWith("59 CommandNotFound");
    assertThat(server.metrics.unknownCommands()).isEqualTo(4);
  }

  @Test
  void anEmptyMessageIsAnUnknownCommand() {
    assertThat(new CommandFixture().start("{}").get(0).getInt32("code").getValue()).isEqualTo(59);
  }

  @Test
  void aCommandLargerThanAnyDocumentMayBeIsRefusedAndNotRun() {
    String text = "x".repeat((16 << 20) + (16 << 10));
    var server = new CommandFixture();

    assertThat(server.error("{ping: 1, comment: '" + text + "', $db: 'admin'}"))
        .contains("BSONObj size: 16793644 (0x100402C) is invalid.")
        .endsWith("Size must be between 0 and 16793600(16MB) First element: ping: 1");
    assertThat(server.run("{ping: 1, comment: '" + text.substring(44) + "', $db: 'admin'}"))
        .containsEntry("ok", new BsonDouble(1));
  }

  @Test
  void aUsersErrorKeepsItsCodeWordsAndDetails() {
    var details = BsonDocument.parse("{keyPattern: {a: 1}}");
    var server =
        new CommandFixture()
            .with(throwing(new CommandException(ErrorCode.DUPLICATE_KEY, "E11000", details)));
    assertThat(server.answer("{fail: 1}"))
        .isEqualTo(
            CommandFixture.canonical(
                "{ok: 0.0, errmsg: 'E11000', code: 11000, codeName: 'DuplicateKey', keyPattern:"
                    + " {a: 1}}"));
    assertThat(server.metrics.userErrors()).isEqualTo(1);
    assertThat(server.metrics.internalErrors()).isZero();
  }

  @Test
  void aFailureOfStorageHasItsOwnCode() {
    var full = new StorageException(StorageException.Reason.DISK_FULL, "no room");
    assertThat(new CommandFixture().with(throwing(full)).error("{fail: 1}"))
        .isEqualTo("14031 OutOfDiskSpace: no room");
  }

  @Test
  void aMistakeOfOursIsAnInternalErrorAndIsCounted() {
    var server = new CommandFixture().with(throwing(new IllegalStateException("oops")));
    assertThat(server.error("{fail: 1}"))
        .isEqualTo("1 InternalError: java.lang.IllegalStateException: oops");
    assertThat(server.metrics.internalErrors()).isEqualTo(1);
  }

  @Test
  void aWriteIsAnsweredWhenItIsOnDisk() {
    var disk = new CompletableFuture<Void>();
    var server = new CommandFixture().with(write(disk));
    List<BsonDocument> replies = server.start("{write: 1, $db: 'd'}");
    assertThat(replies).isEmpty();
    disk.complete(null);
    assertThat(replies).containsExactly(BsonDocument.parse("{n: 1, ok: 1.0}"));
  }

  @Test
  void aWriteThatNobodyWaitsForIsAnsweredAtOnce() {
    var server = new CommandFixture().with(write(new CompletableFuture<Void>()));
    assertThat(server.start("{write: 1, $db: 'd', writeConcern: {j: false}}")).hasSize(1);
    assertThat(server.start("{write: 1, $db: 'd', writeConcern: {w: 0}}")).hasSize(1);
    assertThat(server.start("{write: 1, $db: 'd', writeConcern: {w: 0, j: true}}")).isEmpty();
    assertThat(server.start("{write: 1, $db: 'd', writeConcern: {w: 1}}")).isEmpty();
  }

  @Test
  void aWriteThatNeverReachesTheDiskFails() {
    var lost = new StorageException(StorageException.Reason.UNAVAILABLE, "fsync failed");
    var server = new CommandFixture().with(write(CompletableFuture.failedFuture(lost)));
    assertThat(server.error("{write: 1}")).isEqualTo("91 ShutdownInProgress: fsync failed");
  }

  @Test
  void aWriteConcernThatCannotBeSatisfiedIsToldBesideTheReply() {
    var server = new CommandFixture().with(write(CompletableFuture.completedFuture(null)));
    assertThat(server.answer("{write: 1, writeConcern: {w: 3, wtimeout: 1}}"))
        .isEqualTo(
            CommandFixture.canonical(
                "{n: 1, writeConcernError: {code: 100, codeName: 'UnsatisfiableWriteConcern',"
                    + " errmsg: 'Not enough data-bearing nodes', errInfo: {writeConcern: {w: 3,"
                    + " wtimeout: 1, provenance: 'clientSupplied'}}}, ok: 1.0}"));
  }

  @Test
  void aCommandMayAnswerLater() {
    var later = new CompletableFuture<BsonDocument>();
    var server = new CommandFixture().with(new Waiting(later));
    List<BsonDocument> replies = server.start("{wait: 1, $db: 'd'}");
    assertThat(replies).isEmpty();
    later.complete(new BsonDocument());
    assertThat(replies).containsExactly(BsonDocument.parse("{ok: 1.0}"));
  }

  @Test
  void aCommandMayFailLater() {
    var later = new CompletableFuture<BsonDocument>();
    var server = new CommandFixture().with(new Waiting(later));
    List<BsonDocument> replies = server.start("{wait: 1, $db: 'd'}");
    later.completeExceptionally(new CommandException(ErrorCode.CURSOR_KILLED, "gone"));
    assertThat(replies.get(0).getInt32("code").getValue()).isEqualTo(237);
  }

  @Test
  void longCommandsRunOnTheWorkersAndAreRefusedWhenTheseAreFull() {
    var slow =
        new Fake(Spec.of("slow", Access.READ, Trait.LONG), (context, body) -> new BsonDocument());
    var server = new CommandFixture().with(slow);
    var waiting = new ArrayList<Runnable>();
    server.workers = waiting::add;
    List<BsonDocument> replies = server.start("{slow: 1, $db: 'd'}");
    assertThat(replies).isEmpty();
    waiting.forEach(Runnable::run);
    assertThat(replies).hasSize(1);
    server.workers =
        task -> {
          throw new RejectedExecutionException();
        };
    assertThat(server.error("{slow: 1}")).startsWith("365 TemporarilyUnavailable");
  }

  @Test
  void accessIsCheckedBeforeTheCommandRuns() {
    var server = new CommandFixture();
    server.access =
        (connection, spec, database) -> {
          throw new CommandException(
              ErrorCode.UNAUTHORIZED, "command " + spec.name() + " requires authentication");
        };
    assertThat(server.error("{ping: 1}"))
        .isEqualTo("13 Unauthorized: command ping requires authentication");
  }

  @Test
  void theTimeLimitIsKept() {
    var server = new CommandFixture();
    server.with(
        new Fake(
            Spec.of("slow", Access.READ),
            (context, body) -> {
              context.operation().check();
              server.nanos.addAndGet(6_000_000);
              context.operation().check();
              return new BsonDocument();
            }));
    assertThat(server.error("{slow: 1, maxTimeMS: 5}"))
        .isEqualTo("50 MaxTimeMSExpired: operation exceeded time limit");
    assertThat(server.run("{slow: 1, maxTimeMS: 50}").getDouble("ok").getValue()).isEqualTo(1);
    assertThat(server.run("{slow: 1}").getDouble("ok").getValue()).isEqualTo(1);
  }

  @Test
  void oldQueriesAreCommandsToo() {
    var server = new CommandFixture();
    var replies = new ArrayList<BsonDocument>();
    for (String query : List.of("{ping: 1}", "{$query: {ping: 1}}", "{nope: 1}")) {
      RawDocument body = RawDocument.of(BsonDocument.parse(query));
      server.dispatcher().dispatch(Request.query(server.connection, "admin", body), replies::add);
    }
    assertThat(replies)
        .extracting(reply -> reply.getDouble("ok").intValue())
        .containsExactly(1, 1, 0);
  }

  @Test
  void aDatabaseNameIsRefusedWhereItIsUsed() {
    var server =
        new CommandFixture()
            .with(
                new Fake(
                    Spec.of("use", Access.READ),
                    (context, body) -> {
                      context.database();
                      return new BsonDocument();
                    }));
    assertThat(server.error("{use: 1, $db: 'a b'}"))
        .isEqualTo("73 InvalidNamespace: Invalid database name: 'a b'");
  }

  @Test
  void statementsOfARetryableWriteHaveNumbers() {
    var seen = new ArrayList<Integer>();
    var server =
        new CommandFixture()
            .with(
                new Fake(
                    Spec.of("write", Access.WRITE, Trait.RETRYABLE_WRITE, Trait.WRITE_CONCERN),
                    (context, body) -> {
                      body.finish();
                      seen.add(context.statementId(0));
                      seen.add(context.statementId(1));
                      return new BsonDocument();
                    }));
    server.run("{write: 1}");
    server.run("{write: 1, stmtId: 5}");
    server.run("{write: 1, stmtIds: [7, 3]}");
    assertThat(seen).containsExactly(0, 1, 5, 6, 7, 3);
    assertThat(server.error("{write: 1, stmtId: 1, stmtIds: [1]}"))
        .isEqualTo("72 InvalidOptions: May not specify both stmtId and stmtIds in write command");
    assertThat(server.error("{ping: 1, stmtId: 1}")).startsWith("40415");
  }
}
