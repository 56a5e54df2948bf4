package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoSecurityException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.bson.Document;
import org.bson.types.Binary;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logins with the Java driver. */
class LoginTest {
  @TempDir private Path directory;
  private TestServer server;

  @BeforeEach
  void start() throws IOException {
    server = TestServer.start("--auth", "--data=" + directory);
    server.createRoot();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static Document run(MongoDatabase database, String command) {
    return database.runCommand(Document.parse(command));
  }

  private void ping(String login, String options) {
    try (MongoClient client = server.client(login, options)) {
      client.getDatabase("admin").getCollection("c").countDocuments();
    }
  }

  @Test
  void bothMechanismsAreNegotiatedOrChosen() {
    ping("root:secret@", "");
    ping("root:secret@", "authMechanism=SCRAM-SHA-1");
    ping("root:secret@", "authMechanism=SCRAM-SHA-256");
  }

  @Test
  void aWrongPasswordAndAnUnknownUserFailInTheSameWords() {
    for (String login : List.of("root:wrong@", "nobody:secret@")) {
      for (String mechanism : List.of("SCRAM-SHA-1", "SCRAM-SHA-256")) {
        assertThatThrownBy(() -> ping(login, "authMechanism=" + mechanism))
            .isInstanceOf(MongoSecurityException.class)
            .cause()
            .hasMessageContaining("error 18 (AuthenticationFailed): 'Authentication failed.'");
      }
    }
  }

  @Test
  void aUserLogsInOnlyFromWhereTheyMay() {
    try (MongoClient client = server.client("root:secret@", "")) {
      MongoDatabase admin = client.getDatabase("admin");
      String create =
          "{createUser: '%s', pwd: 'a', roles: ['root'], authenticationRestrictions: [%s]}";
      run(admin, create.formatted("near", "{clientSource: ['10.0.0.1', '127.0.0.0/8']}"));
      run(admin, create.formatted("far", "{clientSource: ['10.0.0.0/8']}"));
      run(admin, create.formatted("door", "{serverAddress: ['127.0.0.2']}"));
      assertThatThrownBy(() -> run(admin, create.formatted("no", "{clientSource: ['here']}")))
          .hasMessageContaining("UnsupportedFormat");
      assertThatThrownBy(() -> run(admin, create.formatted("no", "{colour: ['red']}")))
          .hasMessageContaining("UnsupportedFormat");
      ping("near:a@", "");
      for (String login : List.of("far:a@", "door:a@")) {
        assertThatThrownBy(() -> ping(login, ""))
            .isInstanceOf(MongoSecurityException.class)
            .cause()
            .hasMessageContaining("Authentication failed.");
      }
      run(admin, "{updateUser: 'far', authenticationRestrictions: []}");
      ping("far:a@", "");
      Document shown = run(admin, "{usersInfo: 'near', showAuthenticationRestrictions: true}");
      assertThat(shown.toJson()).contains("127.0.0.0/8");
    }
  }

  @Test
  void aUserIsKnownToOneDatabaseOnly() {
    try (MongoClient client = server.client("root:secret@", "")) {
      run(client.getDatabase("shop"), "{createUser: 'ann', pwd: 'a', roles: ['readWrite']}");
    }
    try (MongoClient client = server.client("ann:a@", "authSource=shop")) {
      client.getDatabase("shop").getCollection("c").insertOne(new Document("x", 1));
      Document status = run(client.getDatabase("shop"), "{connectionStatus: 1}");
      assertThat(status.get("authInfo", Document.class).toJson())
          .isEqualTo(
              "{\"authenticatedUsers\": [{\"user\": \"ann\", \"db\": \"shop\"}],"
                  + " \"authenticatedUserRoles\": [{\"role\": \"readWrite\", \"db\": \"shop\"}]}");
    }
    assertThatThrownBy(() -> ping("ann:a@", "authSource=admin"))
        .isInstanceOf(MongoSecurityException.class);
  }

  @Test
  void namesAndPasswordsMayHoldAnything() {
    try (MongoClient client = server.client("root:secret@", "")) {
      Document command =
          new Document("createUser", "a=b,c")
              .append("pwd", "p\u00e4\u2168 \u00a0x")
              .append("roles", List.of("root"));
      client.getDatabase("admin").runCommand(command);
    }
    // RFC 4013: the Roman numeral is IX, the no-break space a space.
    ping("a%3Db%2Cc:p%C3%A4IX%20%20x@", "authMechanism=SCRAM-SHA-256");
  }

  @Test
  void anotherPasswordCountsAtOnceAndAfterARestart() throws IOException {
    try (MongoClient client = server.client("root:secret@", "")) {
      run(client.getDatabase("admin"), "{updateUser: 'root', pwd: 'other'}");
    }
    assertThatThrownBy(() -> ping("root:secret@", "")).isInstanceOf(MongoSecurityException.class);
    ping("root:other@", "");
    server.close();
    assertThat(filesContain("other")).isFalse();
    server = TestServer.start("--auth", "--data=" + directory);
    ping("root:other@", "");
  }

  /** Whether the text is anywhere on disk, as a password must not be. */
  private boolean filesContain(String text) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (Files.size(file) < 64 << 20
            && new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains(text)) {
          return true;
        }
      }
    }
    return false;
  }

  @Test
  void whoIsDroppedMayDoNothingAnyMore() {
    try (MongoClient root = server.client("root:secret@", "");
        MongoClient ann = server.client("ann:a@", "authSource=shop&maxPoolSize=1")) {
      MongoDatabase shop = root.getDatabase("shop");
      run(shop, "{createUser: 'ann', pwd: 'a', roles: ['read']}");
      ann.getDatabase("shop").getCollection("c").countDocuments();
      run(shop, "{dropUser: 'ann'}");
      run(shop, "{createUser: 'ann', pwd: 'a', roles: ['read']}");
      assertThatThrownBy(() -> ann.getDatabase("shop").getCollection("c").countDocuments())
          .hasMessageContaining("requires authentication");
    }
  }

  @Test
  void theFirstUserIsMadeWithoutALoginAndNoOther() {
    try (MongoClient stranger = server.client("", "")) {
      assertThatThrownBy(
              () ->
                  run(
                      stranger.getDatabase("admin"),
                      "{createUser: 'eve', pwd: 'e', roles: ['root']}"))
          .isInstanceOf(MongoCommandException.class)
          .hasMessageContaining("Command createUser requires authentication");
    }
  }

  @Test
  void noStrangerMakesAUserWhenTheLastOneWasDropped() throws IOException {
    try (MongoClient client = server.client("root:secret@", "")) {
      run(client.getDatabase("admin"), "{dropUser: 'root'}");
    }
    requireNoFirstUser();
    server.close();
    server = TestServer.start("--auth", "--data=" + directory);
    requireNoFirstUser();
    server.close();
    server = TestServer.start("--data=" + directory); // whoever may start the server may do this
    server.createRoot();
    server.close();
    server = TestServer.start("--auth", "--data=" + directory);
    ping("root:secret@", "");
  }

  private void requireNoFirstUser() {
    assertThatThrownBy(() -> server.createRoot())
        .isInstanceOf(MongoCommandException.class)
        .hasMessageContaining("Command createUser requires authentication");
  }

  /** As a client sees them that asks for both mechanisms: salt, iterations and nonce. */
  @Test
  void whatAnUnknownUserIsToldLooksLikeARealOneAndOutlivesARestart() throws IOException {
    String real = firstAnswers("root");
    String unknown = firstAnswers("nobody");
    assertThat(unknown.replaceAll("[A-Za-z0-9+/]", "x"))
        .isEqualTo(real.replaceAll("[A-Za-z0-9+/]", "x"));
    assertThat(salts(firstAnswers("nobody"))).isEqualTo(salts(unknown));
    server.close();
    server = TestServer.start("--auth", "--data=" + directory);
    assertThat(salts(firstAnswers("nobody"))).isEqualTo(salts(unknown));
    assertThat(salts(firstAnswers("root"))).isEqualTo(salts(real));
  }

  private static String salts(String answers) {
    return answers.replaceAll("r=[^,]*,", "");
  }

  private String firstAnswers(String user) {
    var answers = new StringBuilder();
    try (MongoClient client = server.client("", "")) {
      for (String mechanism : List.of("SCRAM-SHA-1", "SCRAM-SHA-256")) {
        byte[] payload = ("n,,n=" + user + ",r=abc").getBytes(StandardCharsets.UTF_8);
        Document reply =
            client
                .getDatabase("admin")
                .runCommand(
                    new Document("saslStart", 1)
                        .append("mechanism", mechanism)
                        .append("payload", payload));
        byte[] answer = reply.get("payload", Binary.class).getData();
        answers.append(new String(answer, StandardCharsets.UTF_8)).append('\n');
      }
    }
    return answers.toString();
  }

  @Test
  void aLogoutEndsTheLogin() {
    try (MongoClient client = server.client("root:secret@", "maxPoolSize=1")) {
      run(client.getDatabase("admin"), "{logout: 1}");
      assertThatThrownBy(() -> client.getDatabase("admin").getCollection("c").countDocuments())
          .hasMessageContaining("Command aggregate requires authentication");
    }
  }
}
