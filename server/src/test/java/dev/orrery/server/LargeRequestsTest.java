package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.client.MongoClient;
import dev.orrery.language.aggregate.StageNames;
import dev.orrery.language.query.FilterNames;
import dev.orrery.language.update.UpdateNames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever a name of the language is given, its request ends in time; no name is left out. */
@Tag("embedded") // measures time
class LargeRequestsTest {
  private static final int TIME_LIMIT_MILLIS = 100;

  /** How late a request may be on a machine that does much else. */
  private static final long LATE_MILLIS_MAX = 2500;

  private static final Set<Integer> OUR_FAULTS = Set.of(1, 8);

  private static TestServer server;
  private static MongoClient client;

  @BeforeAll
  static void start() throws IOException {
    server = TestServer.start();
    client = server.client("", "");
    client
        .getDatabase("test")
        .runCommand(
            new BsonDocument("insert", new BsonString("big"))
                .append("documents", new BsonArray(List.of(LargeRequests.document()))));
  }

  @AfterAll
  static void stop() {
    client.close();
    server.close();
  }

  private static void check(List<LargeRequests.Named> requests, Set<String> names) {
    var asked = requests.stream().map(LargeRequests.Named::name).collect(Collectors.toSet());
    assertThat(new TreeSet<>(asked)).isEqualTo(new TreeSet<>(names));
    var problems = new ArrayList<String>();
    for (LargeRequests.Named each : requests) {
      BsonDocument command = each.command().append("maxTimeMS", new BsonInt32(TIME_LIMIT_MILLIS));
      long start = System.nanoTime();
      int code = 0;
      String message = "";
      try {
        client.getDatabase("test").runCommand(command);
      } catch (MongoCommandException | MongoExecutionTimeoutException e) {
        code = e.getCode();
        message = e.getMessage();
      }
      long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
      String what = each.name() + " " + start(command.toString()) + ": ";
      if (millis > TIME_LIMIT_MILLIS + LATE_MILLIS_MAX) {
        problems.add(what + "ended after " + millis + " ms with " + code);
      }
      if (OUR_FAULTS.contains(code)) {
        problems.add(what + "code " + code + " " + start(message));
      }
    }
    assertThat(problems).isEmpty();
  }

  private static String start(String text) {
    return text.substring(0, Math.min(250, text.length()));
  }

  @Test
  @Timeout(300)
  void everyAccumulatorEndsInTime() {
    Set<String> names = StageNames.accumulators();
    check(LargeRequests.accumulators(names), names);
  }

  @Test
  @Timeout(300)
  void everyWindowFunctionEndsInTime() {
    Set<String> names = StageNames.windowFunctions();
    check(LargeRequests.windowFunctions(names), names);
  }

  @Test
  @Timeout(300)
  void everyStageEndsInTime() {
    check(LargeRequests.stages(), StageNames.stages());
  }

  @Test
  @Timeout(300)
  void everyFilterOperatorEndsInTime() {
    assertThat(LargeRequests.filterNames()).isSubsetOf(FilterNames.all());
    var known = new TreeSet<>(FilterNames.all());
    known.removeAll(Set.of("$near", "$nearSphere", "$geoNear", "$geoWithin", "$geoIntersects"));
    known.removeAll(Set.of("$within", "$maxDistance", "$minDistance", "$text", "$where"));
    check(LargeRequests.filters(), known);
  }

  @Test
  @Timeout(300)
  void everyUpdateOperatorEndsInTime() {
    check(LargeRequests.updates(), UpdateNames.all());
  }
}
