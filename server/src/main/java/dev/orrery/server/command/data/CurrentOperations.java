package dev.orrery.server.command.data;

import dev.orrery.server.auth.Login;
import dev.orrery.server.auth.UserName;
import dev.orrery.server.command.CommandContext;
import dev.orrery.server.command.ServerFacts;
import dev.orrery.server.cursor.CursorRegistry;
import dev.orrery.server.operation.Client;
import dev.orrery.server.operation.Operation;
import dev.orrery.server.operation.OperationReport;
import dev.orrery.server.operation.Operations;
import dev.orrery.server.operation.TransactionReport;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** What {@code currentOp} and {@code $currentOp} show: to each user what they may see. */
public final class CurrentOperations {
  private final Operations operations;
  private final CursorRegistry cursors;
  private final Clock clock;

  public CurrentOperations(Operations operations, CursorRegistry cursors, Clock clock) {
    this.operations = operations;
    this.cursors = cursors;
    this.clock = clock;
  }

  /**
   * What is to be shown.
   *
   * @param hasAllUsers also what others do
   * @param isCut long commands in part only
   */
  public record Options(
      boolean hasAllUsers,
      boolean hasIdleConnections,
      boolean hasIdleCursors,
      boolean hasIdleSessions,
      boolean isCut) {
    /** The options of the stage, which were checked. */
    static Options of(BsonDocument stage) {
      return new Options(
          isOn(stage, "allUsers"),
          isOn(stage, "idleConnections"),
          isOn(stage, "idleCursors"),
          stage.getBoolean("idleSessions", BsonBoolean.TRUE).getValue(),
          isOn(stage, "truncateOps"));
    }

    private static boolean isOn(BsonDocument stage, String name) {
      return stage.getBoolean(name, BsonBoolean.FALSE).getValue();
    }
  }

  public List<BsonDocument> list(CommandContext context, ServerFacts facts, Options options) {
    var report = new OperationReport(facts.hostFor(context.connection()), clock);
    var transactions = new TransactionReport(operations.transactions(), clock);
    UserName user = OperationReport.user(context.connection());
    var shown = new ArrayList<BsonDocument>();
    for (Client client : operations.clients()) {
      Operation operation = client.operation();
      if (!options.hasAllUsers && !isSame(user, client)) {
        continue;
      }
      if (operation != null) {
        BsonDocument running = report.running(operation, options.isCut);
        transactions.describe(operation, running);
        shown.add(running);
      } else if (options.hasIdleConnections) {
        shown.add(report.idle(client));
      }
    }
    if (options.hasIdleSessions) {
      String owner = options.hasAllUsers ? null : context.connection().login().owner();
      shown.addAll(transactions.idle(facts.hostFor(context.connection()), owner));
    }
    if (options.hasIdleCursors) {
      Login.@Nullable Identity identity =
          options.hasAllUsers ? null : context.connection().login().identity();
      shown.addAll(
          new IdleCursors(cursors, clock).list(facts.hostFor(context.connection()), identity));
    }
    return shown;
  }

  /** Without authentication nobody has a name, and everybody sees everything. */
  private static boolean isSame(@Nullable UserName user, Client client) {
    return user == null || user.equals(OperationReport.user(client));
  }
}
