package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The console as programs see it: health, metrics, the API, and who may have what. */
final class ConsoleApiTest {
  private static final String ANY_PORT = "--console-port=0";

  private static ConsoleClient open(TestServer server) {
    return new ConsoleClient(server.console(), "");
  }

  @Test
  void aServerThatServesSaysSo() throws Exception {
    try (TestServer server = TestServer.start(ANY_PORT)) {
      assertThat(open(server).get("/healthz").body()).isEqualTo("{\"status\":\"ok\"}");
      assertThat(open(server).get("/readyz").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void metricsCountWhatClientsDo() throws Exception {
    try (TestServer server = TestServer.start(ANY_PORT);
        MongoClient client = server.client("", "")) {
      for (int i = 0; i < 3; i++) {
        client.getDatabase("d").getCollection("c").insertOne(new Document("n", i));
      }

      HttpResponse<String> metrics = open(server).get("/metrics");

      assertThat(metrics.headers().firstValue("content-type").orElseThrow())
          .startsWith("text/plain; version=0.0.4");
      assertThat(metrics.body())
          .contains("orrery_commands_total{command=\"insert\"} 3.0")
          .contains("orrery_requests_total{kind=\"write\",result=\"ok\"} 3.0")
          .contains("orrery_request_duration_seconds_bucket{kind=\"write\",le=\"+Inf\"} 3")
          .contains(
              "orrery_partition_documents{collection=\"c\",database=\"d\",partition=\"0\"} 3.0")
          .containsPattern("orrery_request_units_total\\{collection=\"c\",database=\"d\"} 1[45]\\.")
          .contains("jvm_memory_used_bytes");
    }
  }

  @Test
  @Tag("embedded") // another engine has another log, or none
  void theDashboardAsksForMetricsThatExist() throws Exception {
    String dashboard = Files.readString(Path.of("..", "docs", "grafana-dashboard.json"));
    try (TestServer server = TestServer.start(ANY_PORT);
        MongoClient client = server.client("", "")) {
      heat(client);
      String metrics = open(server).get("/metrics").body();
      var name = Pattern.compile("(orrery|jvm)_[a-z_]+").matcher(dashboard);
      int count = 0;
      while (name.find()) {
        assertThat(metrics).contains("\n" + name.group());
        count++;
      }
      assertThat(count).isGreaterThan(10);
    }
  }

  @Test
  void aCommandTellsItsChargeAndItsErrors() throws Exception {
    try (TestServer server = TestServer.start(ANY_PORT)) {
      ConsoleClient console = open(server);
      HttpResponse<String> written =
          console.post(
              "/api/v1/command/d", "{insert: 'c', documents: [{_id: 1, n: NumberLong('5')}]}");
      assertThat(BsonDocument.parse(written.body()).getNumber("requestCharge").doubleValue())
          .isBetween(4.9, 6.0);

      String read =
          console
              .post("/api/v1/command/d?format=canonical", "{find: 'c', filter: {_id: 1}}")
              .body();
      assertThat(read).contains("{\"$numberLong\": \"5\"}");

      HttpResponse<String> refused = console.post("/api/v1/command/d", "{find: 'c', filter: 1}");
      assertThat(refused.statusCode()).isEqualTo(400);
      assertThat(refused.body()).contains("TypeMismatch");
      assertThat(console.post("/api/v1/command/d", "{find: ").statusCode()).isEqualTo(400);
      assertThat(console.post("/api/v1/command/d", "[".repeat(100_000)).statusCode())
          .isEqualTo(400);
    }
  }

  @Test
  void aCursorLivesFromOneRequestToTheNext() throws Exception {
    try (TestServer server = TestServer.start(ANY_PORT)) {
      ConsoleClient console = open(server);
      String documents =
          IntStream.range(0, 30).mapToObj(i -> "{_id: " + i + "}").collect(Collectors.joining(","));
      console.post("/api/v1/command/d", "{insert: 'c', documents: [" + documents + "]}");
      BsonDocument first =
          BsonDocument.parse(
              console.post("/api/v1/command/d", "{find: 'c', batchSize: 10}").body());
      long id = first.getDocument("reply").getDocument("cursor").getNumber("id").longValue();
      Thread.sleep(1_200); // longer than it takes to find cursors whose clients have gone

      String next =
          console
              .post(
                  "/api/v1/command/d",
                  "{getMore: NumberLong('" + id + "'), collection: 'c', batchSize: 50}")
              .body();

      BsonDocument cursor = BsonDocument.parse(next).getDocument("reply").getDocument("cursor");
      assertThat(cursor.getArray("nextBatch")).hasSize(20);
    }
  }

  @Test
  void nothingIsShownToStrangersWhenLoginsAreOn() throws Exception {
    try (TestServer server = TestServer.start(ANY_PORT, "--auth")) {
      server.createRoot();
      ConsoleClient stranger = open(server);
      for (String path :
          new String[] {
            "/metrics",
            "/api/v1/overview",
            "/api/v1/server",
            "/api/v1/collections",
            "/api/v1/operations",
            "/api/v1/collections/d/c/heat"
          }) {
        assertThat(stranger.get(path).statusCode()).as(path).isEqualTo(401);
      }
      assertThat(stranger.post("/api/v1/command/admin", "{listDatabases: 1}").statusCode())
          .isEqualTo(401);
      assertThat(stranger.get("/api/v1/session").body()).isEqualTo("{\"needsLogin\":true}");
      assertThat(new ConsoleClient(server.console(), "root:wrong").get("/metrics").statusCode())
          .isEqualTo(401);
      assertThat(new ConsoleClient(server.console(), "root:secret").get("/metrics").statusCode())
          .isEqualTo(200);
    }
  }

  @Test
  void rolesHoldInTheConsole() throws Exception {
    try (TestServer server = TestServer.start(ANY_PORT, "--auth")) {
      server.createRoot();
      var root = new ConsoleClient(server.console(), "root:secret");
      root.post("/api/v1/command/d", "{insert: 'mine', documents: [{}]}");
      root.post("/api/v1/command/e", "{insert: 'yours', documents: [{}]}");
      root.post(
          "/api/v1/command/admin",
          "{createUser: 'reader', pwd: 'secret', roles: [{role: 'read', db: 'd'}]}");
      var reader = new ConsoleClient(server.console(), "reader:secret");

      assertThat(reader.get("/api/v1/collections").body()).contains("mine").doesNotContain("yours");
      assertThat(reader.get("/api/v1/overview").statusCode()).isEqualTo(403);
      assertThat(reader.get("/api/v1/operations").statusCode()).isEqualTo(403);
      assertThat(reader.get("/metrics").statusCode()).isEqualTo(403);
      assertThat(reader.get("/api/v1/collections/e/yours/heat").statusCode()).isEqualTo(403);
      assertThat(reader.get("/api/v1/collections/d/mine/heat").statusCode()).isEqualTo(200);
      assertThat(reader.post("/api/v1/command/d", "{insert: 'mine', documents: [{}]}").statusCode())
          .isEqualTo(403);
    }
  }

  @Test
  void pagesOfOtherSitesCanAskForNothing() throws Exception {
    try (TestServer server = TestServer.start(ANY_PORT)) {
      ConsoleClient console = open(server);
      assertThat(
              console
                  .send(
                      console
                          .request("/api/v1/command/d")
                          .POST(HttpRequest.BodyPublishers.ofString("{dropDatabase: 1}")))
                  .statusCode())
          .isEqualTo(403);
      assertThat(console.get("/api/v1/overview", "Origin", "http://evil.example").statusCode())
          .isEqualTo(403);
      assertThat(console.get("/api/v1/overview", "Sec-Fetch-Site", "cross-site").statusCode())
          .isEqualTo(403);
      assertThat(console.get("/api/v1/overview", "Sec-Fetch-Site", "same-origin").statusCode())
          .isEqualTo(200);
    }
  }

  @Test
  void aNameThatIsNotOursIsRefused() throws Exception {
    try (TestServer server = TestServer.start(ANY_PORT, "--console-hosts=db.example")) {
      assertThat(statusFor(server, "evil.example")).contains(" 421 ");
      assertThat(statusFor(server, "db.example:8081")).contains(" 200 ");
      assertThat(statusFor(server, "localhost")).contains(" 200 ");
      assertThat(statusFor(server, "[::1]:8081")).contains(" 200 ");
    }
  }

  /** The JDK's client lets nobody choose the Host header. */
  private static String statusFor(TestServer server, String host) throws Exception {
    try (var socket = new Socket("127.0.0.1", server.console().getPort())) {
      String request =
          "GET /api/v1/server HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void browsersAreToldToTrustNothingElse() throws Exception {
    try (TestServer server = TestServer.start(ANY_PORT)) {
      HttpResponse<String> page = open(server).get("/");
      assertThat(page.body()).contains("<script type=\"module\" src=\"/main.mjs\">");
      assertThat(page.headers().firstValue("content-security-policy").orElseThrow())
          .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
          .doesNotContain("unsafe");
      assertThat(page.headers().firstValue("x-content-type-options")).hasValue("nosniff");
      for (String path : new String[] {"/../logback.xml", "/%2e%2e/logback.xml", "/vendor/"}) {
        assertThat(open(server).get(path).statusCode()).as(path).isEqualTo(404);
      }
    }
  }

  @Test
  void bodiesHaveALimit() throws Exception {
    try (TestServer server = TestServer.start(ANY_PORT)) {
      String tooLong = "{ping: 1, x: '" + "x".repeat(5 << 20) + "'}";
      assertThat(open(server).post("/api/v1/command/d", tooLong).statusCode()).isEqualTo(413);
    }
  }

  @Test
  void whoGoesOnSendingIsStillAnswered() throws Exception {
    try (TestServer server = TestServer.start(ANY_PORT);
        var socket = new Socket("127.0.0.1", server.console().getPort())) {
      byte[] part = new byte[64 << 10];
      String head =
          "POST /api/v1/command/d HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
              .formatted(128 * part.length);
      socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      for (int i = 0; i < 128; i++) { // much more than fits into buffers on the way
        socket.getOutputStream().write(part);
      }
      byte[] answer = socket.getInputStream().readAllBytes();
      assertThat(new String(answer, StandardCharsets.UTF_8)).startsWith("HTTP/1.1 413 ");
    }
  }

  @Test
  void theHeatMapNamesTheHotPartitionAndItsKey() throws Exception {
    try (TestServer server = TestServer.start(ANY_PORT);
        MongoClient client = server.client("", "appName=shop")) {
      heat(client);

      BsonDocument heat =
          Waiting.until(
              () -> open(server).json("/api/v1/collections/shop/orders/heat"),
              seen -> seen.getArray("diagnoses").toString().contains("is customerId c-17"));

      int hot = heat.getArray("diagnoses").get(0).asDocument().getNumber("partition").intValue();
      BsonDocument cell =
          open(server)
              .json(
                  "/api/v1/collections/shop/orders/heat/cell?from=%d&slots=120&partition=%d"
                      .formatted(heat.getNumber("firstSlot").longValue(), hot));
      assertThat(cell.getArray("keys").get(0).asDocument().getString("key").getValue())
          .isEqualTo("c-17");
      BsonDocument shape = cell.getArray("shapes").get(0).asDocument();
      assertThat(shape.getString("shape").getValue()).startsWith("insert orders");
      String example =
          open(server)
              .get("/api/v1/collections/shop/orders/shapes/" + shape.getString("id").getValue())
              .body();
      assertThat(example).contains("\"insert\": \"orders\"").doesNotContain("lsid");
      assertThat(open(server).get("/api/v1/operations").body())
          .contains("\"application\":\"shop\"");
    }
  }

  /** Four partitions, and nine of ten documents with one key. */
  static void heat(MongoClient client) {
    var database = client.getDatabase("shop");
    database.runCommand(
        Document.parse(
            "{customAction: 'CreateCollection', collection: 'orders', shardKey: 'customerId',"
                + " offerThroughput: 40000}"));
    for (int i = 0; i < 300; i++) {
      String key = i % 10 == 0 ? "c-" + i : "c-17";
      database.getCollection("orders").insertOne(new Document("customerId", key).append("n", i));
    }
  }

  @Test
  void historyOutlivesTheServer(@TempDir Path directory) throws Exception {
    String data = "--data=" + directory.resolve("data");
    try (TestServer server = TestServer.start(ANY_PORT, data);
        MongoClient client = server.client("", "")) {
      heat(client);
      client
          .getDatabase("shop")
          .runCommand(Document.parse("{splitPartition: 'orders', partition: 0}"));
    }
    try (TestServer server = TestServer.start(ANY_PORT, data)) {
      BsonDocument heat = open(server).json("/api/v1/collections/shop/orders/heat?resolution=hour");
      assertThat(heat.getArray("diagnoses").toString()).contains("c-17");
      assertThat(heat.getArray("events")).hasSize(1);
    }
  }

  @Test
  void aForecastTellsOfSplits() throws Exception {
    try (TestServer server = TestServer.start(ANY_PORT);
        MongoClient client = server.client("", "")) {
      heat(client);
      BsonDocument forecast =
          open(server).json("/api/v1/collections/shop/orders/forecast?unitsPerSecond=60000");
      assertThat(forecast.getNumber("splits").intValue()).isEqualTo(2);
      client
          .getDatabase("shop")
          .runCommand(
              Document.parse(
                  "{customAction: 'UpdateCollection', collection: 'orders',"
                      + " offerThroughput: 60000}"));
      assertThat(open(server).json("/api/v1/collections").toString())
          .contains("\"partitions\": " + forecast.getNumber("partitionsThen").intValue());
    }
  }
}
