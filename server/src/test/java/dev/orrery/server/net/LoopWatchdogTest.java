package dev.orrery.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.lane.Lane;
import dev.orrery.wire.DocumentBytes;
import dev.orrery.wire.Message;
import dev.orrery.wire.OpMsg;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Event loops that stand still, and requests that break. */
@Timeout(60)
final class LoopWatchdogTest {
  private static final byte[] EMPTY = {5, 0, 0, 0, 0};
  private static final String PING = "{ping: 1, $db: 'admin'}";
  private static final String SLOW = "{slow: 1, $db: 'admin'}";
  private static final String ERROR = "{error: 1, $db: 'admin'}";

  private final AtomicReference<Lane> lane = new AtomicReference<>();
  private NetServer server;

  /** Does what it should not. */
  private final class BadHandler implements RequestHandler {
    @Override
    public void handle(Connection connection, Message request, ReplySink sink) {
      lane.set(Lane.current());
      String command = RawClient.bson(((OpMsg) request).body()).getFirstKey();
      if (command.equals("slow")) {
        long end = System.nanoTime() + 2_500_000_000L;
        while (System.nanoTime() < end) {
          LockSupport.parkNanos(10_000_000);
        }
      } else if (command.equals("error")) {
        throw new OutOfMemoryError("a test");
      }
      sink.reply(DocumentBytes.of(EMPTY));
    }
  }

  private RawClient connect() throws IOException {
    if (server == null) {
      server = NetServer.start(new NetServer.Options("127.0.0.1", 0, 1, 100), new BadHandler());
    }
    return new RawClient(server.address());
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void aLoopThatStandsStillIsCountedOnce() throws Exception {
    try (var client = connect()) {
      client.run(1, PING);
      assertThat(lane).hasValue(Lane.EVENT_LOOP);
      Thread.sleep(3 * LoopWatchdog.PATIENCE_MILLIS);
      long before = server.stalls();
      client.run(2, SLOW);
      assertThat(server.stalls()).isEqualTo(before + 1);
    }
  }

  @Test
  void aRequestThatBreaksTakesOnlyItsOwnConnectionAlong() throws Exception {
    try (var bad = connect();
        var good = connect()) {
      good.run(1, PING);
      bad.run(1, PING);
      for (int i = 0; i < 20; i++) {
        // Both in one turn of the loop, if the machine is quick enough.
        try (var another = connect()) {
          another.send(RawClient.command(2, 0, ERROR));
          good.send(RawClient.command(3 + i, 0, PING));
          assertThat(good.receive().header().responseTo()).isEqualTo(3 + i);
          assertThat(another.isClosedByServer()).isTrue();
        }
      }
      assertThat(bad.run(99, PING)).isEqualTo(new BsonDocument());
    }
  }
}
