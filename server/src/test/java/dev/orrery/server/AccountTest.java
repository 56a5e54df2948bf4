package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoSecurityException;
import com.mongodb.client.MongoClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An account that is named at the start, as connection strings of Cosmos DB have it. */
class AccountTest {
  @TempDir Path directory;

  @Test
  void theAccountLogsInWithoutAUserAndAnywhere() throws IOException {
    Path key = Files.writeString(directory.resolve("key"), "S2V5T2ZUaGVTaG9w");
    String data = "--data=" + directory.resolve("data");
    try (var server =
        TestServer.start(
            data, "--account=shop", "--account-key-file=" + key, "--regions=West US")) {
      insert(server, "shop:S2V5T2ZUaGVTaG9w@", "appName=@shop@");
      insert(server, "shop:S2V5T2ZUaGVTaG9w@", "authSource=orders");
      insert(server, "shop:S2V5T2ZUaGVTaG9w@", "authMechanism=SCRAM-SHA-1");
      assertThatThrownBy(() -> insert(server, "shop:other@", ""))
          .isInstanceOf(MongoSecurityException.class);
      assertThatThrownBy(() -> insert(server, "other:S2V5T2ZUaGVTaG9w@", ""))
          .isInstanceOf(MongoSecurityException.class);
    }
    try (var server = TestServer.start(data, "--auth")) {
      assertThatThrownBy(() -> insert(server, "shop:S2V5T2ZUaGVTaG9w@", ""))
          .as("nothing of the account is kept")
          .isInstanceOf(MongoSecurityException.class);
    }
  }

  private static void insert(TestServer server, String login, String options) {
    try (MongoClient client = server.client(login, options)) {
      client.getDatabase("orders").getCollection("c").insertOne(new Document());
      Document hello = client.getDatabase("admin").runCommand(new Document("hello", 1));
      assertThat(hello.get("tags")).isEqualTo(new Document("region", "West US"));
    }
  }
}
