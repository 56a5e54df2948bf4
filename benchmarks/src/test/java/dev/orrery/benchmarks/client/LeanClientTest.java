package dev.orrery.benchmarks.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.benchmarks.client.LoadClient.Limit;
import dev.orrery.benchmarks.servers.CeilingServer;
import java.nio.ByteBuffer;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;

class LeanClientTest {
  private static final int REPLY_BYTES = 50_000; // more than the client's first buffer

  @Test
  void sendsAsManyRequestsAsAskedOverAllConnections() throws Exception {
    var traffic = new CountingTraffic(1000, 10, REPLY_BYTES);
    try (var server = CeilingServer.start(REPLY_BYTES);
        var client = new LeanClient(server.address(), 10)) {
      var load = client.run(traffic, Limit.requests(500));
      assertThat(load.requests()).isEqualTo(500);
      assertThat(load.latencies().count()).isEqualTo(500);
      assertThat(load.perSecond()).isPositive();
      assertThat(traffic.sent).hasSize(10).doesNotContain(0);
    }
  }

  @Test
  void sendsRequestsThatDoNotFitIntoASocketAtOnce() throws Exception {
    var traffic = new CountingTraffic(20_000_000, 1, REPLY_BYTES);
    try (var server = CeilingServer.start(REPLY_BYTES);
        var client = new LeanClient(server.address(), 1)) {
      assertThat(client.run(traffic, Limit.requests(2)).requests()).isEqualTo(2);
    }
  }

  @Test
  void stopsWhenTheTimeIsOver() throws Exception {
    try (var server = CeilingServer.start(REPLY_BYTES);
        var client = new LeanClient(server.address(), 2)) {
      var load = client.run(new CountingTraffic(100, 2, 0), Limit.seconds(0.01));
      assertThat(load.requests()).isPositive();
      assertThat(load.nanos()).isGreaterThanOrEqualTo(10_000_000);
    }
  }

  @Test
  void refusesAReplyThatIsTooSmall() throws Exception {
    try (var server = CeilingServer.start(200);
        var client = new LeanClient(server.address(), 1)) {
      var traffic = new CountingTraffic(100, 1, 201);
      assertThatThrownBy(() -> client.run(traffic, Limit.requests(1)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("a bad reply of 200 bytes");
    }
  }

  /** One message, over and over, counted by connection. */
  private static final class CountingTraffic implements Traffic {
    private final Template template;
    private final int leastReplyBytes;
    private final int[] sent;

    CountingTraffic(int messageBytes, int connections, int leastReplyBytes) {
      var command =
          new BsonDocument("ping", new BsonInt32(1))
              .append("filler", new BsonBinary(new byte[messageBytes]));
      template = Template.command("test", command);
      this.leastReplyBytes = leastReplyBytes;
      sent = new int[connections];
    }

    @Override
    public int next(int connection, ByteBuffer message) {
      template.copyTo(message);
      sent[connection]++;
      return leastReplyBytes;
    }

    @Override
    public int messageBytes() {
      return template.length();
    }
  }
}
