package dev.orrery.server.operation;

import dev.orrery.server.session.SessionId;
import dev.orrery.server.session.SessionTransaction;
import dev.orrery.server.session.Transactions;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/** The open transactions in the form in which {@code $currentOp} shows them. */
public final class TransactionReport {
  private final Map<SessionId, SessionTransaction> open = new HashMap<>();
  private final long lifetimeMillis;
  private final Clock clock;

  /**
   * @param transactions null where there are none
   */
  public TransactionReport(@Nullable Transactions transactions, Clock clock) {
    this.clock = clock;
    this.lifetimeMillis =
        transactions == null ? 0 : TimeUnit.SECONDS.toMillis(transactions.lifetimeSeconds());
    if (transactions != null) {
      transactions.open().forEach(one -> open.put(one.origin().session(), one));
    }
  }

  /** Adds its transaction to the report of a request, if the request has one. */
  public void describe(Operation operation, BsonDocument shown) {
    SessionTransaction transaction = open.get(operation.subject().session());
    boolean isInside = operation.subject().body().field("autocommit") != null;
    if (transaction != null && isInside) {
      shown.append("transaction", toBson(transaction));
    }
  }

  /**
   * Those in which no statement runs now.
   *
   * @param owner whose; null for all
   */
  public List<BsonDocument> idle(String host, @Nullable String owner) {
    var shown = new ArrayList<BsonDocument>();
    for (SessionTransaction one : open.values()) {
      SessionId session = one.origin().session();
      if (!one.isActive() && (owner == null || owner.equals(session.owner()))) {
        shown.add(
            new BsonDocument("type", new BsonString("idleSession"))
                .append("host", new BsonString(host))
                .append("desc", new BsonString("inactive transaction"))
                .append("lsid", session.toBson())
                .append("transaction", toBson(one))
                .append("waitingForLock", BsonBoolean.FALSE)
                .append("active", BsonBoolean.FALSE)
                .append("locks", new BsonDocument()));
      }
    }
    return shown;
  }

  private BsonDocument toBson(SessionTransaction transaction) {
    long active = TimeUnit.NANOSECONDS.toMicros(transaction.activeNanos());
    long age = Math.max(active, TimeUnit.NANOSECONDS.toMicros(transaction.openNanos()));
    long start = clock.millis() - TimeUnit.MICROSECONDS.toMillis(age);
    BsonDocument parameters =
        new BsonDocument("txnNumber", new BsonInt64(transaction.number()))
            .append("txnRetryCounter", new BsonInt32(0))
            .append("autocommit", BsonBoolean.FALSE)
            .append(
                "readConcern",
                new BsonDocument("level", new BsonString(transaction.origin().reading().level())));
    return new BsonDocument("parameters", parameters)
        .append("startWallClockTime", OperationReport.time(start))
        .append("timeOpenMicros", new BsonInt64(age))
        .append("timeActiveMicros", new BsonInt64(active))
        .append("timeInactiveMicros", new BsonInt64(age - active))
        .append("expiryTime", OperationReport.time(start + lifetimeMillis));
  }
}
