package dev.orrery.server.console.api;

import dev.orrery.language.error.ErrorCode;
import dev.orrery.server.command.ClientConnection;
import dev.orrery.server.command.Dispatcher;
import dev.orrery.server.command.Request;
import dev.orrery.value.RawDocument;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonString;

/**
 * Runs commands for callers, the way of every request: roles, request units, currentOp and all.
 * This is all that the console knows of commands.
 */
public final class CommandRunner {
  private final Dispatcher dispatcher;

  public CommandRunner(Dispatcher dispatcher) {
    this.dispatcher = dispatcher;
  }

  /**
   * What came of a command.
   *
   * @param reply as clients get it, also when it is an error
   * @param units what it cost
   */
  public record Answer(BsonDocument reply, double units, long nanos) {
    public boolean isOk() {
      return reply.isNumber("ok") && reply.getNumber("ok").doubleValue() == 1;
    }
  }

  /** Runs a command on a database; the stage never fails for what the command says. */
  public CompletionStage<Answer> run(Caller caller, String database, BsonDocument command) {
    ClientConnection connection = caller.connection();
    BsonDocument body = command.clone().append("$db", new BsonString(database));
    var request = Request.message(connection, RawDocument.of(body), List.of());
    var answer = new CompletableFuture<Answer>();
    long start = System.nanoTime();
    connection.closingBy(
        () -> answer.complete(new Answer(unanswered(), 0, System.nanoTime() - start)));
    dispatcher.opened(connection);
    dispatcher.dispatch(
        request,
        reply -> {
          dispatcher.closed(connection);
          answer.complete(answer(connection, reply, System.nanoTime() - start));
        });
    return answer;
  }

  private static BsonDocument unanswered() {
    return new BsonDocument("ok", new BsonDouble(0))
        .append("code", new BsonInt32(ErrorCode.INTERNAL_ERROR.number()))
        .append("codeName", new BsonString(ErrorCode.INTERNAL_ERROR.codeName()))
        .append("errmsg", new BsonString("the command could not be answered"));
  }

  private static Answer answer(ClientConnection connection, BsonDocument reply, long nanos) {
    ClientConnection.LastRequest last = connection.lastRequest();
    return last == null
        ? new Answer(reply, 0, nanos)
        : new Answer(reply, last.charge().toDouble(), last.nanos());
  }

  /** Lets a caller's cursors live. */
  public void open(Caller caller) {
    dispatcher.opened(caller.anchor());
  }

  /** Ends what a caller left open. */
  public void close(Caller caller) {
    dispatcher.closed(caller.anchor());
  }
}
