package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoClientSettings;
import com.mongodb.ServerAddress;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.event.ServerDescriptionChangedEvent;
import com.mongodb.event.ServerHeartbeatSucceededEvent;
import com.mongodb.event.ServerListener;
import com.mongodb.event.ServerMonitorListener;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A hello that waits for something to change, as drivers watch a server. */
@Timeout(60)
class AwaitedHelloTest {
  private static final int MORE_TO_COME = 2;
  private static final int EXHAUST_ALLOWED = 1 << 16;

  private static BsonDocument hello(RawConnection connection) throws IOException {
    return connection.ask(new BsonDocument("hello", new BsonInt32(1)));
  }

  private static BsonDocument awaiting(BsonDocument known, long millis) {
    return new BsonDocument("hello", new BsonInt32(1))
        .append("topologyVersion", known.getDocument("topologyVersion"))
        .append("maxAwaitTimeMS", new BsonInt64(millis));
  }

  @Test
  void anAnswerComesWhenTheTimeIsOver() throws IOException {
    try (TestServer server = TestServer.start("--ephemeral");
        var connection = new RawConnection(server.port(), "127.0.0.1")) {
      BsonDocument known = hello(connection);
      assertThat(known).containsKeys("operationTime", "$clusterTime"); // as every reply
      long start = System.nanoTime();
      BsonDocument again = connection.ask(awaiting(known, 300));
      assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(299));
      assertThat(again.get("topologyVersion")).isEqualTo(known.get("topologyVersion"));
      known.getDocument("topologyVersion").append("counter", new BsonInt64(5));
      start = System.nanoTime();
      connection.ask(awaiting(known, 30_000));
      assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(20));
    }
  }

  @Test
  void whatIsAskedForWronglyIsRefusedInMongosWords() throws IOException {
    try (TestServer server = TestServer.start("--ephemeral");
        var connection = new RawConnection(server.port(), "127.0.0.1")) {
      BsonDocument known = hello(connection);
      BsonDocument asked = awaiting(known, 10);
      asked.remove("maxAwaitTimeMS");
      requireError(connection.ask(asked), 31368, "must include 'maxAwaitTimeMS'");
      asked = awaiting(known, 10);
      asked.remove("topologyVersion");
      requireError(connection.ask(asked), 31368, "must include a 'topologyVersion'");
      requireError(connection.ask(awaiting(known, -1)), 51024, "must be >= 0");
      known.getDocument("topologyVersion").append("counter", new BsonInt64(99));
      requireError(connection.ask(awaiting(known, 10)), 31382, "counter: 99 which is greater");
      known.getDocument("topologyVersion").append("counter", new BsonInt64(-1));
      requireError(connection.ask(awaiting(known, 10)), 31372, "non-negative counter");
      known.getDocument("topologyVersion").append("processId", new BsonString("x"));
      requireError(connection.ask(awaiting(known, 10)), 14, "expected type 'objectId'");
    }
  }

  private static void requireError(BsonDocument reply, int code, String words) {
    assertThat(reply.getNumber("code").intValue()).as(reply.toJson()).isEqualTo(code);
    assertThat(reply.getString("errmsg").getValue()).contains(words);
  }

  @Test
  void oneRequestIsAnsweredAgainAndAgain() throws IOException {
    try (TestServer server = TestServer.start("--ephemeral");
        var connection = new RawConnection(server.port(), "127.0.0.1")) {
      BsonDocument known = hello(connection);
      connection.send(awaiting(known, 150), EXHAUST_ALLOWED);
      int answered = 1; // the number of the request
      for (int i = 0; i < 4; i++) {
        RawConnection.Received reply = connection.receiveMessage();
        assertThat(reply.flags() & MORE_TO_COME).isEqualTo(MORE_TO_COME);
        assertThat(reply.responseTo()).isEqualTo(answered);
        assertThat(reply.body().get("topologyVersion")).isEqualTo(known.get("topologyVersion"));
        answered = reply.requestId();
      }
    }
  }

  @Test
  void whoWaitsHoldsNoThreadAndLeavesNothingBehind() throws Exception {
    try (TestServer server = TestServer.start("--ephemeral");
        MongoClient client = server.client("", "serverMonitoringMode=poll")) {
      var waiting = new ArrayList<RawConnection>();
      BsonDocument known;
      try (var first = new RawConnection(server.port(), "127.0.0.1")) {
        known = hello(first);
      }
      client.getDatabase("admin").runCommand(new Document("ping", 1));
      int threads = Thread.activeCount();
      for (int i = 0; i < 200; i++) {
        var connection = new RawConnection(server.port(), "127.0.0.1");
        connection.send(awaiting(known, 600_000), i % 2 == 0 ? EXHAUST_ALLOWED : 0);
        waiting.add(connection);
      }
      Waiting.until(() -> waitingCount(client), count -> count == 200);
      assertThat(Thread.activeCount()).isLessThan(threads + 20);
      for (RawConnection connection : waiting) {
        connection.close();
      }
      Waiting.until(() -> waitingCount(client), count -> count == 0);
    }
  }

  private static long waitingCount(MongoClient client) {
    List<Document> inProgress =
        client
            .getDatabase("admin")
            .runCommand(new Document("currentOp", 1))
            .getList("inprog", Document.class);
    return inProgress.stream()
        .filter(one -> one.get("command", new Document()).containsKey("topologyVersion"))
        .count();
  }

  @Test
  void aKilledOneIsAnsweredAtOnce() throws Exception {
    try (TestServer server = TestServer.start("--ephemeral");
        MongoClient client = server.client("", "serverMonitoringMode=poll");
        var connection = new RawConnection(server.port(), "127.0.0.1")) {
      connection.send(awaiting(hello(connection), 600_000));
      Waiting.until(() -> waitingCount(client), count -> count == 1);
      Document waiting =
          client
              .getDatabase("admin")
              .runCommand(new Document("currentOp", 1).append("command.hello", 1))
              .getList("inprog", Document.class)
              .get(0);
      client
          .getDatabase("admin")
          .runCommand(new Document("killOp", 1).append("op", waiting.get("opid")));
      assertThat(connection.receive().getNumber("code").intValue()).isEqualTo(11601);
    }
  }

  /** Before its time, and once more by whoever opened it. */
  private static void stop(TestServer server) {
    server.close();
  }

  @Test
  void aStopIsToldToThoseWhoWait() throws Exception {
    try (TestServer server = TestServer.start("--ephemeral");
        MongoClient client = server.client("", "serverMonitoringMode=poll");
        var connection = new RawConnection(server.port(), "127.0.0.1")) {
      BsonDocument known = hello(connection);
      connection.send(awaiting(known, 600_000));
      Waiting.until(() -> waitingCount(client), count -> count == 1);
      long start = System.nanoTime();
      stop(server);
      assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(30));
      BsonDocument told = connection.receive();
      assertThat(told.getNumber("code").intValue()).isEqualTo(91);
      BsonDocument version = told.getDocument("topologyVersion");
      assertThat(version.get("processId"))
          .isEqualTo(known.getDocument("topologyVersion").get("processId"));
      assertThat(version.getNumber("counter").longValue()).isEqualTo(7);
    }
  }

  /** The Java driver watches by a stream, and hears of a stop without asking. */
  @Test
  void aDriverStreams() throws Exception {
    var awaited = new CountDownLatch(2);
    var lost = new CountDownLatch(1);
    try (TestServer server = TestServer.start("--ephemeral")) {
      MongoClientSettings settings =
          MongoClientSettings.builder()
              .applyToClusterSettings(
                  cluster -> cluster.hosts(List.of(new ServerAddress("127.0.0.1", server.port()))))
              .applyToServerSettings(
                  one ->
                      one.heartbeatFrequency(500, TimeUnit.MILLISECONDS)
                          .addServerMonitorListener(new Heartbeats(awaited))
                          .addServerListener(new Losses(lost)))
              .build();
      try (MongoClient client = MongoClients.create(settings)) {
        client.getDatabase("admin").runCommand(new Document("ping", 1));
        assertThat(awaited.await(30, TimeUnit.SECONDS)).isTrue();
        stop(server);
        assertThat(lost.await(30, TimeUnit.SECONDS)).isTrue();
      }
    }
  }

  private record Heartbeats(CountDownLatch awaited) implements ServerMonitorListener {
    @Override
    public void serverHeartbeatSucceeded(ServerHeartbeatSucceededEvent event) {
      if (event.isAwaited()) {
        awaited.countDown();
      }
    }
  }

  private record Losses(CountDownLatch lost) implements ServerListener {
    @Override
    public void serverDescriptionChanged(ServerDescriptionChangedEvent event) {
      if (event.getPreviousDescription().isOk() && !event.getNewDescription().isOk()) {
        lost.countDown();
      }
    }
  }
}
