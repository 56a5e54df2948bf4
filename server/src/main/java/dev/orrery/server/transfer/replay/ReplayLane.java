package dev.orrery.server.transfer.replay;

import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import dev.orrery.server.workload.RecordedRequest;
import dev.orrery.server.workload.StandIns;
import dev.orrery.value.Namespace;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** The requests of some connections, sent one after the other by a thread of its own. */
final class ReplayLane {
  private static final int WAITING_MAX = 1_000;

  /** Cursors and transactions that a workload left open are forgotten beyond that many. */
  private static final int OPEN_MAX = 1_000;

  /** A request, and when it is to be sent; none for the last one. */
  private record Due(@Nullable RecordedRequest request, long nanos) {}

  private final MongoClient client;
  private final Map<Namespace, Namespace> renamed;
  private final ReplayResult result;
  private final LinkedBlockingQueue<Due> waiting = new LinkedBlockingQueue<>(WAITING_MAX);
  private final Map<String, BsonInt64> cursors = new LinkedHashMap<>();
  private final Map<Long, ClientSession> transactions = new HashMap<>();
  private final Thread thread;

  ReplayLane(MongoClient client, Map<Namespace, Namespace> renamed, ReplayResult result) {
    this.client = client;
    this.renamed = renamed;
    this.result = result;
    this.thread = new Thread(this::run, "orrery-replay");
    thread.setDaemon(true);
    thread.start();
  }

  void add(RecordedRequest request, long dueNanos) throws InterruptedException {
    waiting.put(new Due(request, dueNanos));
  }

  /** Waits until all that was added is answered. */
  void finish() throws InterruptedException {
    waiting.put(new Due(null, 0));
    thread.join();
  }

  void stop() {
    thread.interrupt();
  }

  private void run() {
    try {
      for (Due next = waiting.take(); next.request != null; next = waiting.take()) {
        long early = next.nanos - System.nanoTime();
        if (early > 0) {
          TimeUnit.NANOSECONDS.sleep(early);
        }
        send(next.request, Math.max(0, -early));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // whoever waits for the answers does so no more
    } finally {
      transactions.values().forEach(ClientSession::close);
    }
  }

  private void send(RecordedRequest request, long lateNanos) {
    try {
      BsonDocument command = command(request);
      if (command == null) {
        result.passedOver();
        return;
      }
      result.sent(lateNanos);
      answered(request, run(request, command));
    } catch (MongoException e) {
      result.failed(e.getCode());
    }
  }

  /** The request as it is sent; null if it goes on with what is not there. */
  private @Nullable BsonDocument command(RecordedRequest request) {
    BsonDocument command = StandIns.filled(request.body());
    String name = command.getFirstKey();
    String collection = target(request).collection();
    if (request.target().command().equals("getMore")) {
      BsonInt64 cursor = cursors.get(place(request));
      return cursor == null
          ? null
          : command.append(name, cursor).append("collection", new BsonString(collection));
    }
    boolean isEnd = !command.isString(name);
    if (isEnd) {
      return transactions.containsKey(request.origin().transaction()) ? command : null;
    }
    return command.append(name, new BsonString(collection));
  }

  private Namespace target(RecordedRequest request) {
    var own = new Namespace(request.target().database(), request.target().collection());
    return renamed.getOrDefault(own, own);
  }

  /** A connection goes on with the cursor that it opened last on a collection. */
  private static String place(RecordedRequest request) {
    return request.origin().connection() + " " + request.target().namespace();
  }

  private @Nullable BsonDocument run(RecordedRequest request, BsonDocument command) {
    long transaction = request.origin().transaction();
    switch (request.target().command()) {
      case "commitTransaction" -> {
        try (ClientSession session = transactions.remove(transaction)) {
          session.commitTransaction();
        }
        return null;
      }
      case "abortTransaction" -> {
        try (ClientSession session = transactions.remove(transaction)) {
          session.abortTransaction();
        }
        return null;
      }
      default -> {
        MongoDatabase database = client.getDatabase(target(request).database());
        return transaction == 0
            ? database.runCommand(command, BsonDocument.class)
            : database.runCommand(session(transaction), command, BsonDocument.class);
      }
    }
  }

  private ClientSession session(long transaction) {
    ClientSession present = transactions.get(transaction);
    if (present != null) {
      return present;
    }
    if (transactions.size() == OPEN_MAX) {
      transactions.remove(transactions.keySet().iterator().next()).close();
    }
    ClientSession session = client.startSession();
    session.startTransaction();
    transactions.put(transaction, session);
    return session;
  }

  private void answered(RecordedRequest request, @Nullable BsonDocument reply) {
    if (reply == null) {
      return;
    }
    if (reply.isArray("writeErrors")) {
      for (BsonValue error : reply.getArray("writeErrors")) {
        result.failed(error.asDocument().getNumber("code").intValue());
      }
    }
    if (reply.isDocument("cursor")) {
      keep(place(request), reply.getDocument("cursor").getInt64("id"));
    }
  }

  private void keep(String place, BsonInt64 cursor) {
    cursors.remove(place);
    if (cursor.getValue() != 0) {
      if (cursors.size() == OPEN_MAX) {
        cursors.remove(cursors.keySet().iterator().next());
      }
      cursors.put(place, cursor);
    }
  }
}
