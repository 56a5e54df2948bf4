package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.connection.ClusterType;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.bson.Document;
import org.junit.jupiter.api.Test;

/** A server whose clients reach it by an address that it cannot know, as in a container. */
final class PortMapTest {
  private static final String LOOPBACK = "127.0.0.1";

  /** Lets clients of a port of its own talk to another one. */
  private static final class PortMap implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getByName(LOOPBACK));
    private final int target;

    PortMap(int target) throws IOException {
      this.target = target;
      start(this::accept);
    }

    int port() {
      return listener.getLocalPort();
    }

    private static void start(Runnable work) {
      var thread = new Thread(work, "port map");
      thread.setDaemon(true);
      thread.start();
    }

    private void accept() {
      try {
        while (true) {
          Socket client = listener.accept();
          var server = new Socket(LOOPBACK, target);
          start(() -> copy(client, server));
          start(() -> copy(server, client));
        }
      } catch (IOException closed) {
        // the test is over
      }
    }

    private static void copy(Socket from, Socket to) {
      try (InputStream in = from.getInputStream();
          OutputStream out = to.getOutputStream()) {
        in.transferTo(out);
      } catch (IOException closed) {
        // by one of the two
      }
    }

    @Override
    public void close() throws IOException {
      listener.close();
    }
  }

  @Test
  void whoDiscoversTheServerStaysWithTheAddressThatItHas() throws IOException {
    try (TestServer server = TestServer.start("--advertise=none");
        var map = new PortMap(server.port());
        MongoClient client =
            MongoClients.create(
                "mongodb://127.0.0.1:%d/?directConnection=false&serverSelectionTimeoutMS=20000"
                    .formatted(map.port()))) {
      Document hello = client.getDatabase("admin").runCommand(new Document("hello", 1));
      assertThat(hello.toJson()).doesNotContain(":" + server.port());
      assertThat(hello).doesNotContainKeys("hosts", "me", "primary", "setName");
      MongoCollection<Document> orders = client.getDatabase("shop").getCollection("orders");
      orders.insertOne(new Document("_id", 1));
      try (ClientSession session = client.startSession()) {
        session.startTransaction();
        orders.insertOne(session, new Document("_id", 2));
        session.commitTransaction();
      }
      assertThat(orders.countDocuments()).isEqualTo(2);
      assertThat(client.getClusterDescription().getType()).isEqualTo(ClusterType.SHARDED);
      assertThat(client.getClusterDescription().getServerDescriptions())
          .singleElement()
          .satisfies(one -> assertThat(one.getAddress().getPort()).isEqualTo(map.port()));
    }
  }

  /** What the option is there for. */
  @Test
  void withoutItClientsAreSentToAnAddressThatTheyMayNotReach() throws IOException {
    try (TestServer server = TestServer.start();
        var map = new PortMap(server.port());
        MongoClient client =
            MongoClients.create(
                "mongodb://127.0.0.1:%d/?directConnection=true".formatted(map.port()))) {
      Document hello = client.getDatabase("admin").runCommand(new Document("hello", 1));
      assertThat(hello.getList("hosts", String.class))
          .containsExactly("127.0.0.1:" + server.port());
    }
  }
}
