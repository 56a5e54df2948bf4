package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that are short to look at and long to do leave the event loop to others. */
@Tag("embedded") // measures time
class SmallHeavyRequestsTest {
  private static final int TIME_LIMIT_MILLIS = 1500;
  private static final int REQUEST_BYTES_MAX = 32 << 10;

  private static String repeat(int count, String form) {
    return IntStream.range(0, count)
        .mapToObj(i -> form.replace("N", "" + i))
        .collect(Collectors.joining(","));
  }

  private static final List<String> SETUP =
      List.of(
          "{insert: 'c', documents: [{_id: 1, s: '"
              + "a".repeat(28_000)
              + "', a: ["
              + repeat(5000, "N")
              + "]}]}",
          "{insert: 'few', documents: [{_id: 1, a: 1}]}",
          "{create: 'checked', validator: {$or: [" + repeat(900, "{a: {$gt: 9999N}}") + "]}}",
          "{create: 'regular', validator: {s: {$regex: '(a|aa)+b'}}}");

  /** Each by primary key, on one document, below the size at which requests go to the pool. */
  private static final List<String> REQUESTS =
      List.of(
          "{find: 'c', filter: {_id: 1, $or: [" + repeat(900, "{a: {$gt: 9999N}}") + "]}}",
          "{find: 'c', filter: {_id: 1, $nor: [" + repeat(900, "{a: {$bitsAllSet: [40]}}") + "]}}",
          "{find: 'c', filter: {_id: 1, s: {$regex: '(a+)+$b'}}}",
          "{find: 'c', filter: {_id: 1, s: {$in: [" + repeat(900, "/aN.*b/") + "]}}}",
          "{count: 'c', query: {_id: 1, $nor: [" + repeat(900, "{a: {$gt: 9999N}}") + "]}}",
          "{update: 'c', updates: [{q: {_id: 1}, u: {$pull: {a: {$in: ["
              + repeat(900, "/aN/")
              + "]}}}}]}",
          "{update: 'c', updates: [{q: {_id: 1, $or: ["
              + repeat(900, "{a: {$gt: 9999N}}")
              + "]}, u: {$set: {b: 1}}}]}",
          "{delete: 'c', deletes: [{q: {_id: 1, $or: ["
              + repeat(900, "{a: {$gt: 9999N}}")
              + "]}, limit: 1}]}",
          "{findAndModify: 'c', query: {_id: 1, $or: ["
              + repeat(900, "{a: {$gt: 9999N}}")
              + "]}, remove: true}",
          "{distinct: 'c', key: 'a', query: {_id: 1, $or: ["
              + repeat(900, "{a: {$gt: 9999N}}")
              + "]}}",
          "{find: 'c', filter: {_id: 1}, projection: {b: {$size: {$map: {input: {$range: [0,"
              + " 1000000]}, in: {$size: {$range: [0, 1000]}}}}}}}",
          "{update: 'c', updates: [{q: {_id: 1}, u: [{$set: {b: {$size: {$map: {input: {$range: [0,"
              + " 1000000]}, in: {$size: {$range: [0, 1000]}}}}}}}]}]}",
          "{insert: 'checked', documents: [{a: [" + repeat(3000, "N") + "]}]}",
          "{insert: 'regular', documents: [{s: '" + "a".repeat(20_000) + "'}]}");

  @Test
  @Timeout(180)
  void noSmallRequestHoldsALoop() throws Exception {
    var slowest = new ArrayList<String>();
    try (var server = TestServer.start()) {
      for (String command : SETUP) {
        BsonDocument reply = run(server, BsonDocument.parse(command));
        assertThat(reply.getNumber("ok").intValue()).as(reply.toString()).isEqualTo(1);
      }
      long stalls = server.stalls();
      for (String command : REQUESTS) {
        assertThat(command.length()).isLessThan(REQUEST_BYTES_MAX);
        long millis = slowestPing(server, command);
        if (millis > TIME_LIMIT_MILLIS / 2) {
          slowest.add(millis + " ms beside " + command.substring(0, 40));
        }
      }
      assertThat(slowest).isEmpty();
      assertThat(server.stalls()).isEqualTo(stalls);
    }
  }

  /** The slowest of many pings on connections of all loops while the command runs. */
  private static long slowestPing(TestServer server, String command) throws Exception {
    var pool = Executors.newSingleThreadExecutor();
    var pings = new ArrayList<RawConnection>();
    try {
      for (int i = 0; i < 4; i++) {
        pings.add(new RawConnection(server.port(), "127.0.0.1"));
      }
      var limited =
          BsonDocument.parse(command).append("maxTimeMS", new BsonInt32(TIME_LIMIT_MILLIS));
      var running = pool.submit(() -> run(server, limited));
      long slowest = 0;
      do {
        for (RawConnection each : pings) {
          long start = System.nanoTime();
          each.send(BsonDocument.parse("{ping: 1}"));
          each.receive();
          slowest = Math.max(slowest, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
        }
      } while (!running.isDone());
      int code = running.get().getNumber("code", new BsonInt32(0)).intValue();
      assertThat(code).as(command.substring(0, 40)).isNotIn(1, 8);
      return slowest;
    } finally {
      for (RawConnection each : pings) {
        each.close();
      }
      pool.shutdown();
    }
  }

  private static BsonDocument run(TestServer server, BsonDocument command) throws IOException {
    try (var connection = new RawConnection(server.port(), "127.0.0.1")) {
      connection.send(command);
      return connection.receive();
    }
  }
}
