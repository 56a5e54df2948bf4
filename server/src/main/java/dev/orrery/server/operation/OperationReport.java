package dev.orrery.server.operation;

import dev.orrery.language.error.BsonText;
import dev.orrery.server.auth.Login;
import dev.orrery.server.auth.UserName;
import dev.orrery.server.plan.QueryPlan;
import dev.orrery.server.session.SessionId;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.time.Clock;
import java.time.Instant;
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
  /** Requests that are longer are cut where space is short. */
  static final int SHORT_COMMAND_BYTES_MAX = 1000;

  /** Requests that are longer are cut in the profile. */
  static final int PROFILED_COMMAND_BYTES_MAX = 50 << 10;

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
        .append("command", isCut ? command(subject, SHORT_COMMAND_BYTES_MAX) : command(subject));
    QueryPlan plan = operation.plan();
    if (plan != null) {
      shown.append("planSummary", new BsonString(plan.summary()));
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
    return time(clock.millis());
  }

  static BsonValue time(long millis) {
    return new BsonString(TIME.format(Instant.ofEpochMilli(millis)));
  }

  /** What the request cost so far, in request units. */
  public static BsonValue charge(Operation operation) {
    return new BsonDouble(operation.work().charge().toDouble());
  }

  /** The request as the client sent it, without its secrets. */
  private static BsonDocument command(Subject subject) {
    BsonDocument command = subject.body().toBsonDocument();
    Secrets.hide(command);
    command.remove(omitted(subject));
    return command;
  }

  /** The same; of one that is longer only the start of its text, and its comment. */
  static BsonDocument command(Subject subject, int bytesMax) {
    RawDocument body = subject.body();
    if (body.length() <= bytesMax) {
      return command(subject);
    }
    int shown = Math.min(bytesMax, BsonText.TEXT_MAX + 1); // the text is cut there
    BsonDocument start = CommandStart.of(body, shown, omitted(subject));
    Secrets.hide(start);
    var cut = new BsonDocument("$truncated", cut(start, bytesMax));
    RawValue comment = body.field("comment");
    if (comment == null) {
      return cut;
    }
    boolean isLong = comment.length() > bytesMax;
    return cut.append(
        "comment", isLong ? cut(CommandStart.of(comment, shown), bytesMax) : comment.toBsonValue());
  }

  private static BsonString cut(BsonValue value, int bytesMax) {
    String text = BsonText.stored(value);
    return new BsonString(text.substring(0, Math.min(text.length(), bytesMax)));
  }

  /** What is mostly sent beside the command, and never shown by MongoDB; empty if nothing is. */
  private static String omitted(Subject subject) {
    return subject.kind().equals("insert") ? "documents" : "";
  }
}
