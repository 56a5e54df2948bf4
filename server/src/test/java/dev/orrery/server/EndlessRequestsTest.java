package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Whatever a request does, it ends when its time is up, when it is killed, when its client goes.
 */
class EndlessRequestsTest {
  private static final int AT_A_TIME = 4;
  private static final int TIME_LIMIT_MILLIS = 150;

  /** How late a request may be on a machine that does much else. */
  private static final long LATE_MILLIS_MAX = 6000;

  /** These are carried out although nobody waits for the answer, as in MongoDB. */
  private static final Set<String> WRITES = Set.of("insert", "update", "delete", "findAndModify");

  private static TestServer server;
  private static MongoClient client;

  @BeforeAll
  static void start() throws IOException {
    server = TestServer.start();
    client = server.client("", "appName=endless&maxPoolSize=20");
    for (String command : EndlessRequests.SETUP) {
      client.getDatabase("test").runCommand(Document.parse(command));
    }
  }

  @AfterAll
  static void stop() {
    client.close();
    server.close();
  }

  /** What is to be seen of one request. */
  @FunctionalInterface
  private interface Check {
    /** What is wrong, or null. */
    String problem(EndlessRequests request) throws Exception;
  }

  private static void forEach(Check check) throws InterruptedException {
    var problems = new ConcurrentLinkedQueue<String>();
    var threads = Executors.newFixedThreadPool(AT_A_TIME);
    List<Future<?>> running = new ArrayList<>();
    EndlessRequests.all()
        .forEach(
            request ->
                running.add(
                    threads.submit(
                        () -> {
                          String problem = check.problem(request);
                          if (problem != null) {
                            problems.add(request.name() + ": " + problem);
                          }
                          return null;
                        })));
    for (Future<?> each : running) {
      try {
        each.get();
      } catch (ExecutionException e) {
        problems.add(e.getCause().toString());
      }
    }
    threads.shutdown();
    assertThat(problems).isEmpty();
    assertThat(running).hasSizeGreaterThan(70);
  }

  /** The code of the answer, 0 for success, and how long it took. */
  private static String answer(BsonDocument command, int expected, long millisMax) {
    MongoDatabase database = client.getDatabase("test");
    long start = System.nanoTime();
    int code = 0;
    String message = "";
    try {
      message = database.runCommand(command).toJson();
    } catch (MongoCommandException | MongoExecutionTimeoutException e) {
      code = e.getCode();
      message = e.getMessage();
    }
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    if (code != expected) {
      return "code " + code + " " + message.substring(0, Math.min(200, message.length()));
    }
    return millis > millisMax ? "ended after " + millis + " ms" : null;
  }

  @Test
  @Timeout(120)
  void aRequestEndsWhenItsTimeIsUp() throws Exception {
    forEach(
        request ->
            answer(
                BsonDocument.parse(request.command())
                    .append("maxTimeMS", new BsonInt32(TIME_LIMIT_MILLIS)),
                50,
                TIME_LIMIT_MILLIS + LATE_MILLIS_MAX));
  }

  @Test
  @Timeout(120)
  void aRequestEndsWhenItIsKilled() throws Exception {
    forEach(
        request -> {
          var comment = new BsonString("kill " + request.name());
          var command = BsonDocument.parse(request.command()).append("comment", comment);
          var answer = new java.util.concurrent.FutureTask<>(() -> answer(command, 11601, 60_000));
          new Thread(answer).start();
          int id = awaitRunning(comment.getValue());
          Thread.sleep(50);
          long start = System.nanoTime();
          admin("{killOp: 1, op: " + id + "}");
          String problem = answer.get(60, TimeUnit.SECONDS);
          long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
          return problem != null || millis <= LATE_MILLIS_MAX
              ? problem
              : "ended " + millis + " ms after it was killed";
        });
  }

  @Test
  @Timeout(120)
  void aReadEndsWhenItsClientGoes() throws Exception {
    forEach(
        request -> {
          var comment = new BsonString("leave " + request.name());
          var command = BsonDocument.parse(request.command()).append("comment", comment);
          int id;
          try (var connection = new RawConnection(server.port(), "127.0.0.1")) {
            connection.send(command);
            id = awaitRunning(comment.getValue());
          }
          if (WRITES.contains(command.getFirstKey())) {
            admin("{killOp: 1, op: " + id + "}");
          }
          long start = System.nanoTime();
          while (!running(comment.getValue()).isEmpty()) {
            Thread.sleep(5);
            if (System.nanoTime() - start > TimeUnit.MILLISECONDS.toNanos(LATE_MILLIS_MAX)) {
              return "still runs";
            }
          }
          return null;
        });
  }

  private static Document admin(String command) {
    return client.getDatabase("admin").runCommand(Document.parse(command));
  }

  private static List<Document> running(String comment) {
    var command =
        new Document("currentOp", 1).append("command.comment", comment).append("active", true);
    return client.getDatabase("admin").runCommand(command).getList("inprog", Document.class);
  }

  private static int awaitRunning(String comment) throws InterruptedException {
    long start = System.nanoTime();
    while (System.nanoTime() - start < TimeUnit.SECONDS.toNanos(20)) {
      List<Document> found = running(comment);
      if (!found.isEmpty()) {
        return found.get(0).getInteger("opid");
      }
      Thread.sleep(2);
    }
    throw new AssertionError("never seen: " + comment);
  }
}
