package dev.orrery.server.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.wire.Message;
import dev.orrery.wire.OpMsg;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class NetServerTest {
  private static final String PING = "{ping: 1, $db: 'admin'}";

  private final EchoHandler requests = new EchoHandler();
  private NetServer server;

  @AfterEach
  void stop() {
    if (server != null) {
      server.close();
    }
    assertThat(requests.open).isEmpty();
  }

  @Test
  void hasALoopForEachTwoProcessorsUnlessToldOtherwise() {
    int processors = Runtime.getRuntime().availableProcessors();
    assertThat(new NetServer.Options("127.0.0.1", 0, 0, 1).eventLoops())
        .isEqualTo(Math.max(1, processors / 2));
    assertThat(new NetServer.Options("127.0.0.1", 0, 7, 1).eventLoops()).isEqualTo(7);
  }

  @Test
  void aRequestIsAnsweredOnTheEventLoop() throws IOException {
    try (var client = connect()) {
      assertThat(client.run(5, PING).getInt32("ping").getValue()).isEqualTo(1);
      client.send(RawClient.command(77, 0, PING));
      assertThat(client.receive().header().responseTo()).isEqualTo(77);
    }
    assertThat(server.address().getPort()).isPositive();
    assertThat(server.connectionsCreated()).isEqualTo(1);
  }

  @Test
  void aMalformedFrameClosesOnlyItsOwnConnection() throws IOException {
    try (var good = connect();
        var bad = connect()) {
      assertThat(good.run(1, PING)).isNotEmpty();
      byte[] frame = RawClient.command(2, 0, PING);
      frame[frame.length - 1] = 9;
      bad.send(frame);
      assertThat(bad.isClosedByServer()).isTrue();
      assertThat(good.run(3, PING)).isNotEmpty();
    }
  }

  @Test
  void repliesToEarlierRequestsComeBeforeTheHangUp() throws IOException {
    try (var client = connect()) {
      byte[] good = RawClient.command(1, 0, PING);
      byte[] both = Arrays.copyOf(good, good.length + 4);
      client.send(both);
      assertThat(client.receive().header().responseTo()).isEqualTo(1);
      assertThat(client.isClosedByServer()).isTrue();
    }
  }

  @Test
  void requestsAheadOfTimeAreAnsweredInOrder() throws IOException {
    try (var client = connect()) {
      for (int i = 0; i < 2_000; i++) {
        client.send(RawClient.command(i, 0, "{ping: " + i + ", later: " + (i % 7 == 0) + "}"));
      }
      for (int i = 0; i < 2_000; i++) {
        assertThat(client.receive().header().responseTo()).isEqualTo(i);
      }
    }
    assertThat(requests.mostInFlight).isEqualTo(1);
  }

  @Test
  void moreToComeGetsNoReply() throws IOException {
    try (var client = connect()) {
      client.send(RawClient.command(1, OpMsg.MORE_TO_COME, PING));
      client.send(RawClient.command(2, OpMsg.MORE_TO_COME, "{ping: 1, later: true}"));
      client.send(RawClient.command(3, 0, PING));
      assertThat(client.receive().header().responseTo()).isEqualTo(3);
    }
  }

  @Test
  void aHandlerThatThrowsLosesItsConnectionOnly() throws IOException {
    try (var bad = connect();
        var good = connect()) {
      bad.send(RawClient.command(1, 0, "{throw: 1}"));
      assertThat(bad.isClosedByServer()).isTrue();
      assertThat(good.run(1, PING)).isNotEmpty();
    }
  }

  @Test
  void aHandlerMayHangUp() throws IOException {
    try (var client = connect()) {
      client.send(RawClient.command(1, 0, "{hangUp: 1}"));
      assertThat(client.isClosedByServer()).isTrue();
    }
  }

  @Test
  void aClientThatTakesNoRepliesIsNotReadFurther() throws Exception {
    try (var client = connect()) {
      String big = "{ping: '" + "x".repeat(100_000) + "'}";
      var sender = new Thread(() -> sendUntilClosed(client, big));
      sender.start();
      // Socket buffers fill up in both directions; then no further request is started.
      int before;
      do {
        before = requests.count;
        TimeUnit.MILLISECONDS.sleep(200);
      } while (requests.count != before);
      assertThat(before).isLessThan(1_000);
      for (int i = 0; i < 1_000; i++) {
        assertThat(client.receive().header().responseTo()).isEqualTo(i);
      }
      sender.join();
    }
  }

  @Test
  void aStopWaitsForTheRequestInFlight() throws Exception {
    try (var client = connect();
        var idle = connect()) {
      assertThat(idle.run(1, PING)).isNotEmpty();
      client.send(RawClient.command(9, 0, "{hold: 1}"));
      ReplySink held = requests.held.poll(20, TimeUnit.SECONDS);
      var closing = new Thread(server::close);
      closing.start();
      assertThat(idle.isClosedByServer()).isTrue();
      held.reply(RawClient.document("{ok: 1}"));
      assertThat(client.receive().header().responseTo()).isEqualTo(9);
      assertThat(client.isClosedByServer()).isTrue();
      closing.join();
    }
  }

  @Test
  void aStopMayMeetConnectionsThatComeAndGo() throws Exception {
    for (int round = 0; round < 40; round++) {
      var stopping = start(1_000);
      var address = stopping.address();
      var visitor = new Thread(() -> comeAndGoUntilRefused(address));
      visitor.start();
      Thread.sleep(round % 5);
      stopping.close();
      visitor.join();
    }
  }

  @Test
  void anAddressInUseIsNamed() throws IOException {
    server = start(100);
    int port = server.address().getPort();
    assertThatThrownBy(
            () -> NetServer.start(new NetServer.Options("127.0.0.1", port, 1, 10), requests))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot listen on 127.0.0.1:" + port);
  }

  @Test
  void theNumberOfConnectionsIsBounded() throws IOException {
    server = start(2);
    try (var first = connect();
        var second = connect()) {
      assertThat(first.run(1, PING)).isNotEmpty();
      assertThat(second.run(1, PING)).isNotEmpty();
      try (var third = connect()) {
        assertThat(third.isClosedByServer()).isTrue();
      }
      assertThat(first.run(2, PING)).isNotEmpty();
    }
  }

  @Test
  void aThousandConnectionsNeedNoThreadAndNoMemoryEach() throws Exception {
    connect().close();
    int threads = Thread.activeCount();
    for (int i = 0; i < 1_000; i++) {
      try (var client = connect()) {
        assertThat(client.run(i, PING)).isNotEmpty();
      }
    }
    var idle = new ArrayList<RawClient>();
    for (int i = 0; i < 500; i++) {
      var client = connect();
      idle.add(client);
      assertThat(client.run(i, PING)).isNotEmpty();
    }
    assertThat(requests.open).hasSizeGreaterThanOrEqualTo(500);
    assertThat(Thread.activeCount()).isLessThanOrEqualTo(threads + 4);
    var allocator = (ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT;
    assertThat(allocator.metric().usedDirectMemory()).isLessThan(64L << 20);
    for (RawClient client : idle) {
      assertThat(client.run(1, PING)).isNotEmpty();
      client.close();
    }
    assertThat(server.connectionsCreated()).isEqualTo(1_501);
  }

  @Test
  void whatAClientSentBeforeItLeftIsDoneAndAnswered() throws Exception {
    server = start(10, 1);
    var leaving = connect();
    try (var busy = connect();
        var asking = connect()) {
      assertThat(asking.run(1, PING)).isNotEmpty();
      assertThat(leaving.run(1, PING)).isNotEmpty();
      busy.send(RawClient.command(2, 0, "{block: 1}"));
      requests.blocked.acquire();
      // The one event loop finds these requests together with the end of what clients send.
      asking.send(RawClient.command(3, 0, PING));
      asking.sendNothingMore();
      leaving.send(RawClient.command(4, OpMsg.MORE_TO_COME, "{hold: 1}"));
      leaving.close();
      requests.released.release();
      assertThat(busy.receive().header().responseTo()).isEqualTo(2);
      assertThat(asking.receive().header().responseTo()).isEqualTo(3);
      assertThat(asking.isClosedByServer()).isTrue();
      assertThat(requests.held.poll(20, TimeUnit.SECONDS)).isNotNull();
    }
  }

  @Test
  void moreConnectionsThanATurnTakesAreAnsweredInTurns() throws Exception {
    server = start(1000, 1);
    var clients = new ArrayList<RawClient>();
    for (int i = 0; i < 3 * LoopTurn.CONNECTIONS_MAX + 1; i++) {
      clients.add(connect());
      assertThat(clients.get(i).run(i, PING)).isNotEmpty();
    }
    clients.get(0).send(RawClient.command(0, 0, "{block: 1}"));
    requests.blocked.acquire();
    for (int i = 1; i < clients.size(); i++) {
      clients.get(i).send(RawClient.command(2 * i, 0, PING));
      clients.get(i).send(RawClient.command(2 * i + 1, 0, "{ping: 1, later: true}"));
    }
    requests.released.release();
    for (int i = 1; i < clients.size(); i++) {
      assertThat(clients.get(i).receive().header().responseTo()).isEqualTo(2 * i);
      assertThat(clients.get(i).receive().header().responseTo()).isEqualTo(2 * i + 1);
    }
    clients.forEach(RawClient::close);
  }

  private RawClient connect() throws IOException {
    if (server == null) {
      server = start(10_000);
    }
    InetSocketAddress address = server.address();
    assertThat(address.getAddress().isLoopbackAddress()).isTrue();
    return new RawClient(address);
  }

  private NetServer start(int connectionsMax) throws IOException {
    return start(connectionsMax, 2);
  }

  private NetServer start(int connectionsMax, int loops) throws IOException {
    return NetServer.start(new NetServer.Options("127.0.0.1", 0, loops, connectionsMax), requests);
  }

  private static void comeAndGoUntilRefused(InetSocketAddress address) {
    while (true) {
      try (var socket = new Socket()) {
        socket.connect(address, 1_000);
      } catch (IOException e) {
        return;
      }
    }
  }

  private static void sendUntilClosed(RawClient client, String json) {
    try {
      for (int i = 0; i < 1_000; i++) {
        client.send(RawClient.command(i, 0, json));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends each command back, with a few commands that misbehave. */
  private static final class EchoHandler implements RequestHandler {
    final BlockingQueue<ReplySink> held = new LinkedBlockingQueue<>();
    final Semaphore blocked = new Semaphore(0);
    final Semaphore released = new Semaphore(0);
    final List<Connection> open = new CopyOnWriteArrayList<>();
    private final Map<Integer, Integer> inFlight = new ConcurrentHashMap<>();
    volatile int mostInFlight;
    volatile int count;

    @Override
    public void opened(Connection connection) {
      open.add(connection);
    }

    @Override
    public void closed(Connection connection) {
      open.remove(connection);
    }

    @Override
    public void handle(Connection connection, Message request, ReplySink sink) {
      synchronized (this) {
        count++;
      }
      mostInFlight = Math.max(mostInFlight, inFlight.merge(connection.id(), 1, Integer::sum));
      var command = RawClient.bson(request.body());
      switch (command.getFirstKey()) {
        case "throw" -> throw new IllegalStateException("as asked");
        case "hangUp" -> sink.hangUp();
        case "hold" -> held.add(sink);
        case "block" -> {
          blocked.release();
          released.acquireUninterruptibly();
          reply(connection, request, sink);
        }
        default -> {
          if (command.containsKey("later") && command.getBoolean("later").getValue()) {
            new Thread(() -> reply(connection, request, sink)).start();
          } else {
            reply(connection, request, sink);
          }
        }
      }
    }

    private void reply(Connection connection, Message request, ReplySink sink) {
      inFlight.merge(connection.id(), -1, Integer::sum);
      sink.reply(request.body());
    }
  }
}
