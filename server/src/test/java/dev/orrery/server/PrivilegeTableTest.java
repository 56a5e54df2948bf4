package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Every command, tried by eight kinds of users, against a table of who may what in MongoDB. */
class PrivilegeTableTest {
  private static final int UNAUTHORIZED = 13;
  private static final String ALL = "nrwdumcR";

  /** Whoever does this is nobody afterwards, or has to wait. */
  private static final Set<String> UNTRIED = Set.of("authenticate", "logout", "prepareTransaction");

  /** The roles of each user, by the letter that is their name. */
  private static final Map<String, String> ROLES =
      Map.of(
          "n", "",
          "r", "'read'",
          "w", "'readWrite'",
          "d", "'dbAdmin'",
          "u", "'userAdmin'",
          "m", "{role: 'clusterMonitor', db: 'admin'}",
          "c", "'clerk'",
          "R", "{role: 'root', db: 'admin'}");

  private static TestServer server;
  private static MongoClient root;
  private static final Map<String, MongoClient> CLIENTS = new LinkedHashMap<>();

  private record Row(String database, String allowed, Document command) {
    static Row parse(String line) {
      String[] parts = line.split("\\|", 3);
      String allowed = parts[1].strip();
      return new Row(
          parts[0].strip(),
          allowed.equals("all") ? ALL : allowed,
          Document.parse(parts[2].strip()));
    }

    String commandName() {
      return command.keySet().iterator().next();
    }
  }

  @BeforeAll
  static void start() throws IOException {
    server = TestServer.start("--auth");
    server.createRoot();
    root = server.client("root:secret@", "");
    MongoDatabase vault = root.getDatabase("vault");
    for (String name : List.of("secret", "desk")) {
      vault.getCollection(name).insertOne(new Document("_id", 1).append("v", 1));
    }
    root.getDatabase("lobby").getCollection("c").insertOne(new Document("_id", 1));
    vault.createView("view", "desk", List.of());
    vault.runCommand(
        Document.parse(
            "{createRole: 'clerk', roles: [], privileges:"
                + " [{resource: {db: 'vault', collection: 'desk'}, actions: ['find']}]}"));
    ROLES.forEach(
        (user, roles) -> {
          String create = "{createUser: '%s', pwd: 'p', roles: [%s]}".formatted(user, roles);
          vault.runCommand(Document.parse(create));
          CLIENTS.put(user, server.client(user + ":p@", "authSource=vault&maxPoolSize=1"));
        });
  }

  @AfterAll
  static void stop() {
    CLIENTS.values().forEach(MongoClient::close);
    root.close();
    server.close();
  }

  private static List<Row> rows() throws IOException {
    try (InputStream file =
        PrivilegeTableTest.class.getResourceAsStream("/access/privileges.txt")) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(Row::parse)
          .toList();
    }
  }

  private static boolean isAllowed(String user, Row row) {
    try {
      CLIENTS.get(user).getDatabase(row.database).runCommand(row.command);
      return true;
    } catch (MongoCommandException e) {
      return e.getErrorCode() != UNAUTHORIZED;
    }
  }

  @Test
  void everybodyMayDoWhatTheTableSaysAndNothingElse() throws IOException {
    var surprises = new ArrayList<String>();
    for (Row row : rows()) {
      var allowed = new StringBuilder();
      for (String user : ALL.split("")) {
        if (isAllowed(user, row)) {
          allowed.append(user);
        }
      }
      if (!sorted(allowed.toString()).equals(sorted(row.allowed))) {
        surprises.add(
            "%s %s: is %s, should be %s"
                .formatted(row.database, row.command.toJson(), allowed, row.allowed));
      }
    }
    assertThat(surprises).isEmpty();
  }

  private static Set<String> sorted(String letters) {
    return new TreeSet<>(List.of(letters.split("")));
  }

  @Test
  void theTableHasEveryCommand() throws IOException {
    Document list = root.getDatabase("admin").runCommand(new Document("listCommands", 1));
    var commands = new TreeSet<>(list.get("commands", Document.class).keySet());
    commands.removeAll(UNTRIED);
    rows().forEach(row -> commands.remove(row.commandName()));
    assertThat(commands).isEmpty();
  }
}
