package dev.orrery.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.limit.MemoryBudget;
import dev.orrery.wire.Compressor;
import dev.orrery.wire.DocumentBytes;
import dev.orrery.wire.Message;
import dev.orrery.wire.OpMsg;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many connections, and little memory for their messages. */
@Timeout(120)
class NetMemoryTest {
  private static final int BUDGET = 4 << 20;

  private final MemoryBudget memory = new MemoryBudget(BUDGET);
  private int strangers; // so many of the first connections have not logged in
  private NetServer server;

  /** Answers with a text as long as asked for. */
  private final RequestHandler requests =
      new RequestHandler() {
        @Override
        public void handle(Connection connection, Message request, ReplySink sink) {
          var body = RawClient.bson(((OpMsg) request).body());
          int length = body.containsKey("reply") ? body.getInt32("reply").getValue() : 1;
          sink.reply(RawClient.document("{ok: '" + "t".repeat(length) + "'}"));
        }

        @Override
        public boolean knows(Connection connection) {
          return connection.id() > strangers;
        }
      };

  @AfterEach
  void stop() throws InterruptedException {
    server.close();
    for (int i = 0; i < 100 && memory.usedBytes() != 0; i++) {
      Thread.sleep(20); // what was closed has been told to the loop, which is about to end
    }
    assertThat(memory.usedBytes()).isZero();
  }

  private RawClient connect() throws IOException {
    if (server == null) {
      var shared = new NetServer.Shared(TransportSecurity.NONE, memory);
      server = NetServer.start(new NetServer.Options("127.0.0.1", 0, 2, 1_000, shared), requests);
    }
    return new RawClient(server.address());
  }

  private static byte[] message(int bytes) {
    return RawClient.command(1, 0, "{ping: '" + "p".repeat(bytes) + "'}");
  }

  @Test
  void halfMessagesThatTakeAllOfItDoNotWaitForEachOtherForEver() throws IOException {
    byte[] message = message(3 << 20);
    var clients = new ArrayList<RawClient>();
    for (int i = 0; i < 8; i++) {
      clients.add(connect());
      clients.get(i).send(Arrays.copyOfRange(message, 0, 200_000));
    }
    var senders = new ArrayList<Thread>();
    for (RawClient client : clients) {
      var sender = new Thread(() -> sendRest(client, message, 200_000));
      sender.start();
      senders.add(sender);
    }
    for (RawClient client : clients) {
      assertThat(RawClient.bson(client.receive().body()).getString("ok").getValue()).isEqualTo("t");
      client.close();
    }
    assertThat(memory.mostBytes()).isLessThan(BUDGET + (4 << 20));
  }

  /** Two looks at a busy connection may well find as much of one message as of another. */
  @Test
  void whoSendsOneMessageAfterAnotherIsNotTakenForOneWhoStopped() throws Exception {
    byte[] message = message(1 << 20);
    try (var client = connect()) {
      client.send(Arrays.copyOfRange(message, 0, 200_000));
      Thread.sleep(8_000);
      sendRest(client, message, 200_000);
      assertThat(client.receive()).isNotNull();
      client.send(Arrays.copyOfRange(message, 0, 200_000));
      Thread.sleep(4_000);
      sendRest(client, message, 200_000);
      assertThat(client.receive()).isNotNull();
    }
  }

  private static void sendRest(RawClient client, byte[] message, int from) {
    try {
      client.send(Arrays.copyOfRange(message, from, message.length));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void whoHasNotLoggedInSendsLittle() throws IOException {
    strangers = 2;
    try (var client = connect()) {
      client.send(message(60_000));
      assertThat(client.receive()).isNotNull();
      client.send(Arrays.copyOf(message(70_000), 1_000));
      assertThat(client.isClosedByServer()).isTrue();
    }
    try (var client = connect()) {
      client.send(packed(200_000));
      assertThat(client.isClosedByServer()).isTrue();
    }
    try (var client = connect()) {
      client.send(packed(200_000));
      assertThat(client.receive()).isNotNull();
    }
  }

  private static byte[] packed(int bytes) {
    DocumentBytes body = RawClient.document("{ping: '" + "p".repeat(bytes) + "'}");
    return RawClient.bytes(
        new OpMsg(new Message.Header(1, 0, Compressor.ZLIB), 0, body, List.of()));
  }

  @Test
  void allWhoHaveNotLoggedInShareAMegabyte() throws IOException {
    strangers = 40;
    byte[] message = message(60_000);
    var clients = new ArrayList<RawClient>();
    for (int i = 0; i < 40; i++) {
      clients.add(connect());
      clients.get(i).send(Arrays.copyOf(message, message.length - 1));
    }
    try (var known = connect()) {
      known.send(message(1 << 20));
      assertThat(known.receive()).isNotNull();
    }
    int answered = 0;
    for (RawClient client : clients) {
      try {
        client.send(Arrays.copyOfRange(message, message.length - 1, message.length));
        answered += client.isClosedByServer() ? 0 : 1;
      } catch (IOException e) {
        // closed
      }
      client.close();
    }
    assertThat(answered).isBetween(15, 17);
  }

  @Test
  void whoStopsInTheMiddleIsCutOff() throws IOException {
    try (var idle = connect()) {
      idle.send(Arrays.copyOf(message(1 << 20), 500_000));
      boolean isClosed = false;
      for (int attempt = 0; attempt < 4 && !isClosed; attempt++) {
        isClosed = isClosedSoon(idle);
      }
      assertThat(isClosed).isTrue();
    }
  }

  private static boolean isClosedSoon(RawClient client) throws IOException {
    try {
      return client.isClosedByServer();
    } catch (SocketTimeoutException e) {
      return false;
    }
  }

  @Test
  void repliesThatNobodyTakesAreCountedAndTheirClientsMakeWay() throws Exception {
    var clients = new ArrayList<RawClient>();
    for (int i = 0; i < 6; i++) {
      clients.add(connect());
      clients.get(i).send(RawClient.command(1, 0, "{ping: 1, reply: 16000000}"));
    }
    for (int i = 0; i < 500 && memory.usedBytes(MemoryBudget.Use.REPLIES) < 90_000_000; i++) {
      Thread.sleep(20);
    }
    assertThat(memory.usedBytes(MemoryBudget.Use.REPLIES)).isGreaterThan(90_000_000);
    for (int i = 0; i < 2_000 && memory.usedBytes(MemoryBudget.Use.REPLIES) > BUDGET; i++) {
      Thread.sleep(20);
    }
    assertThat(memory.usedBytes(MemoryBudget.Use.REPLIES)).isLessThanOrEqualTo(BUDGET);
    clients.forEach(RawClient::close);
  }
}
