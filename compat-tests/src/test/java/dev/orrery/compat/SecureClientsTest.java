package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClients;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients with the whole connection string that an account of Cosmos DB has: TLS only, a user and
 * its key. Only the host and the authority that signed the certificate are others.
 */
@ExtendWith(ClientTable.class)
final class SecureClientsTest {
  private static final String KEY = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEH==";
  private static final String WHAT =
      "connection string of Cosmos DB: TLS, SCRAM, replicaSet=globaldb, retrywrites=false";

  @TempDir private static Path data;
  private static PackagedServer server;

  @TempDir private Path home;

  @BeforeAll
  static void start() throws IOException, GeneralSecurityException {
    server = PackagedServer.on(data, "--auth", "--tls-only");
    var user = new Document("createUser", "account").append("pwd", KEY);
    try (var client = MongoClients.create(settings(server.uri()))) {
      client.getDatabase("admin").runCommand(user.append("roles", List.of("root")));
    }
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  @Exercises(client = ClientKind.JAVA, what = WHAT)
  void javaConnects() throws IOException, GeneralSecurityException {
    try (var client = MongoClients.create(settings(uri()))) {
      var things = client.getDatabase("java").getCollection("things");
      things.insertOne(new Document("_id", 1));
      assertThat(things.find()).containsExactly(new Document("_id", 1));
    }
  }

  @Test
  @Exercises(client = ClientKind.NODE, what = WHAT)
  void nodeConnects() throws IOException {
    assertThat(lines(ClientTool.MONGODB.script("connect-mongodb.mjs", trustingUri())))
        .contains("ping 1", "set globaldb", "unknown 59 CommandNotFound");
  }

  @Test
  @Exercises(client = ClientKind.MONGOOSE, what = WHAT)
  void mongooseConnects() throws IOException {
    assertThat(lines(ClientTool.MONGOOSE.script("connect-mongoose.mjs", trustingUri())))
        .contains("state connected", "ping 1");
  }

  @Test
  @Exercises(client = ClientKind.PYMONGO, what = WHAT)
  void pymongoConnects() throws IOException {
    assertThat(lines(ClientTool.PYMONGO.script("connect_pymongo.py", trustingUri())))
        .contains("ping 1.0", "set globaldb", "unknown 59 CommandNotFound");
  }

  @Test
  @Exercises(client = ClientKind.PHP, what = WHAT)
  void phpConnects() throws IOException {
    assertThat(lines(ClientTool.PHP.script("documents.php", trustingUri(), "secure")))
        .contains("ping 1", "bulk 1000 10 1");
  }

  @Test
  @Exercises(client = ClientKind.C, what = WHAT)
  void cConnects() throws IOException {
    Path program = home.resolve("documents");
    lines(ClientTool.MONGOC.compiler("documents.c", program));
    assertThat(lines(List.of(program.toString(), trustingUri(), "secureC")))
        .contains("ping 1", "inserted 1000");
  }

  @Test
  @Exercises(client = ClientKind.MONGOSH, what = WHAT)
  void mongoshConnects() throws IOException {
    String who = "db.runCommand({ connectionStatus: 1 }).authInfo.authenticatedUsers[0].user";
    assertThat(lines(ClientTool.MONGOSH.program(trustingUri(), "--quiet", "--eval", who)))
        .containsExactly("account");
  }

  private static String uri() {
    String form =
        "mongodb://account:%s@127.0.0.1:%d/?ssl=true&replicaSet=globaldb&retrywrites=false"
            + "&maxIdleTimeMS=120000&appName=@account@";
    return form.formatted(URLEncoder.encode(KEY, StandardCharsets.UTF_8), server.port());
  }

  private static String trustingUri() {
    return uri() + "&tlsCAFile=" + certificate();
  }

  private static Path certificate() {
    return data.resolve("tls").resolve("server.crt");
  }

  /** Java's driver takes its authorities from the context, not from the string. */
  private static MongoClientSettings settings(String uri)
      throws IOException, GeneralSecurityException {
    var store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    try (var file = Files.newInputStream(certificate())) {
      var authority = CertificateFactory.getInstance("X.509").generateCertificate(file);
      store.setCertificateEntry("server", authority);
    }
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    var context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return MongoClientSettings.builder()
        .applyConnectionString(new ConnectionString(uri))
        .applyToSslSettings(ssl -> ssl.enabled(true).context(context))
        .build();
  }

  private List<String> lines(List<String> command) throws IOException {
    return ClientProcess.lines(home, command);
  }
}
