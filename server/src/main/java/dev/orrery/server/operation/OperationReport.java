package dev.orrery.server.operation;

import dev.orrery.server.auth.Login;
import dev.orrery.server.auth.UserName;
import dev.orrery.server.error.BsonText;
import dev.orrery.server.session.SessionId;
import dev.orrery.storage.value.RawDocument;
import java.time.Clock;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** Clients and their requests in the form in which {@code $currentOp} shows them. */
public final class OperationReport {
  /** The plans of larger requests take so long to sum up that an event loop leaves them out. */
  private static final int SUMMARY_BYTES_MAX = 32 << 10;

  /** Requests that are longer are cut where space is short. */
  private static final int COMMAND_BYTES_MAX = 1000;

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSxxx").withZone(ZoneOffset.UTC);

  private final String host;
  private final Clock clock;

  public OperationReport(String host, Clock clock) {
    this.host = host;
    this.clock = clock;
  }

  /** A connection on which nothing happens. */
  public BsonDocument idle(Client client) {
    return client(client, false);
  }

  /**
   * A request at work.
   *
   * @param isCut whether long requests are shown in part
   */
  public BsonDocument running(Operation operation, boolean isCut) {
    Subject subject = operation.subject();
    BsonDocument shown =
        client(operation.client(), true).append("opid", new BsonInt32(operation.id()));
    SessionId session = subject.session();
    if (session != null) {
      shown.append("lsid", session.toBson());
    }
    long micros = TimeUnit.NANOSECONDS.toMicros(operation.nanos());
    shown
        .append("secs_running", new BsonInt64(TimeUnit.MICROSECONDS.toSeconds(micros)))
        .append("microsecs_running", new BsonInt64(micros))
        .append("op", new BsonString(subject.kind()))
        .append("ns", new BsonString(subject.namespace()))
        .append("redacted", BsonBoolean.FALSE)
        .append("command", command(subject, isCut));
    boolean isLarge = subject.body().length() > SUMMARY_BYTES_MAX;
    String plan = isLarge && isCut ? null : PlanSummary.of(operation.plan());
    if (plan != null) {
      shown.append("planSummary", new BsonString(plan));
    }
    shown.append("requestCharge", charge(operation));
    if (operation.isKilled()) {
      shown.append("killPending", BsonBoolean.TRUE);
    }
    return shown
        .append("numYields", new BsonInt32(0))
        .append("locks", new BsonDocument())
        .append("waitingForLock", BsonBoolean.FALSE)
        .append("lockStats", new BsonDocument())
        .append("waitingForFlowControl", BsonBoolean.FALSE)
        .append("flowControlStats", new BsonDocument());
  }

  private BsonDocument client(Client client, boolean isActive) {
    BsonDocument shown =
        new BsonDocument("type", new BsonString("op"))
            .append("host", new BsonString(host))
            .append("desc", new BsonString("conn" + client.id()))
            .append("connectionId", new BsonInt64(client.id()))
            .append("client", new BsonString(client.remoteAddress()));
    if (client.applicationName() != null) {
      shown.append("appName", new BsonString(client.applicationName()));
    }
    RawDocument metadata = client.clientMetadata();
    if (metadata != null) {
      shown.append("clientMetadata", metadata.toBsonDocument());
    }
    shown.append("active", BsonBoolean.valueOf(isActive)).append("currentOpTime", now(clock));
    UserName user = user(client);
    if (user != null) {
      shown.append("effectiveUsers", new BsonArray(List.of(user.toBson())));
    }
    return isActive ? shown.append("threaded", BsonBoolean.TRUE) : shown;
  }

  /** Who is logged in, or null. */
  public static @Nullable UserName user(Client client) {
    Login.Identity identity = client.login().identity();
    return identity == null ? null : identity.name();
  }

  /** The present time as MongoDB writes it where a text is wanted. */
  static BsonValue now(Clock clock) {
    return new BsonString(TIME.format(clock.instant()));
  }

  /** What the request cost so far, in request units. */
  public static BsonValue charge(Operation operation) {
    return new BsonDouble(operation.work().charge().toDouble());
  }

  /** The request as the client sent it, without its secrets; cut if it is long and may be. */
  public static BsonDocument command(Subject subject, boolean isCut) {
    BsonDocument command = subject.body().toBsonDocument();
    Secrets.hide(command);
    if (subject.kind().equals("insert")) {
      command.remove("documents"); // mostly sent beside the command, and never shown by MongoDB
    }
    if (!isCut || subject.body().length() <= COMMAND_BYTES_MAX) {
      return command;
    }
    String text = BsonText.stored(command);
    int end = Math.min(text.length(), COMMAND_BYTES_MAX);
    BsonDocument cut = new BsonDocument("$truncated", new BsonString(text.substring(0, end)));
    BsonValue comment = command.get("comment");
    return comment == null ? cut : cut.append("comment", comment);
  }
}
