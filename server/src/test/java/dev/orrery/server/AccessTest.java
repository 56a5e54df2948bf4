package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.bson.Document;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Every command that the server knows, tried by those who may not: strangers, readers, and users of
 * another database. A new command is tried as soon as listCommands names it.
 */
class AccessTest {
  private static final String MARK = "treasure";
  private static final int UNAUTHORIZED = 13;
  private static final JsonWriterSettings CANONICAL =
      JsonWriterSettings.builder().outputMode(JsonMode.EXTENDED).build();

  /** What strangers need before they can log in, and what tells them nothing. */
  private static final Set<String> FOR_STRANGERS =
      Set.of(
          "authenticate",
          "buildInfo",
          "connectionStatus",
          "endSessions",
          "hello",
          "isMaster",
          "logout",
          "ping",
          "saslContinue",
          "saslStart",
          "whatsmyuri");

  /** What every user may do besides, since it is about themselves. */
  private static final Set<String> FOR_ALL_USERS =
      Set.of(
          "abortTransaction",
          "commitTransaction",
          "endRequestUnitScope",
          "features",
          "getLastRequestStatistics",
          "getMore",
          "killCursors",
          "killSessions",
          "listCommands",
          "listDatabases",
          "refreshSessions",
          "startRequestUnitScope",
          "startSession");

  /** What a reader of the vault may do in it. */
  private static final Set<String> FOR_READERS =
      Set.of(
          "advisePartitionKey",
          "aggregate",
          "collStats",
          "count",
          "dataSize",
          "dbHash",
          "dbStats",
          "distinct",
          "explain",
          "filemd5",
          "find",
          "listCollections",
          "listIndexes",
          "listPartitions",
          "mapReduce",
          "partitionOf",
          "ruStatistics");

  /** Arguments with which a command would do or show something, were it allowed. */
  private static final Map<String, String> ARGUMENTS =
      Map.ofEntries(
          Map.entry("aggregate", "{aggregate: 'secret', pipeline: [], cursor: {}}"),
          Map.entry("collMod", "{collMod: 'secret', validator: {x: 1}}"),
          Map.entry("create", "{create: 'planted'}"),
          Map.entry(
              "createIndexes", "{createIndexes: 'secret', indexes: [{key: {x: 1}, name: 'x'}]}"),
          Map.entry("createRole", "{createRole: 'r', privileges: [], roles: ['dbOwner']}"),
          Map.entry("createUser", "{createUser: 'u', pwd: 'p', roles: ['dbOwner']}"),
          Map.entry("customAction", "{customAction: 'CreateCollection', collection: 'planted'}"),
          Map.entry("dataSize", "{dataSize: 'vault.secret'}"),
          Map.entry("delete", "{delete: 'secret', deletes: [{q: {}, limit: 0}]}"),
          Map.entry("distinct", "{distinct: 'secret', key: 'v'}"),
          Map.entry("dropIndexes", "{dropIndexes: 'secret', index: '*'}"),
          Map.entry("dropUser", "{dropUser: 'owner'}"),
          Map.entry("enableSharding", "{enableSharding: 'vault'}"),
          Map.entry("explain", "{explain: {find: 'secret'}}"),
          Map.entry("findAndModify", "{findAndModify: 'secret', query: {}, remove: true}"),
          Map.entry("getMore", "{getMore: {$numberLong: '1'}, collection: 'secret'}"),
          Map.entry("grantRolesToUser", "{grantRolesToUser: 'owner', roles: ['read']}"),
          Map.entry("insert", "{insert: 'secret', documents: [{v: 'planted'}]}"),
          Map.entry("killOp", "{killOp: 1, op: 1000000}"),
          Map.entry("renameCollection", "{renameCollection: 'vault.secret', to: 'lobby.stolen'}"),
          Map.entry("shardCollection", "{shardCollection: 'vault.secret', key: {v: 1}}"),
          Map.entry("update", "{update: 'secret', updates: [{q: {}, u: {$set: {v: 1}}}]}"),
          Map.entry("updateUser", "{updateUser: 'owner', pwd: 'mine'}"),
          Map.entry("usersInfo", "{usersInfo: {forAllDBs: true}, showCredentials: true}"));

  private static TestServer server;
  private static MongoClient root;
  private static Set<String> commands;

  @BeforeAll
  static void start() throws IOException {
    server = TestServer.start("--auth");
    server.createRoot();
    root = server.client("root:secret@", "");
    MongoDatabase vault = root.getDatabase("vault");
    vault.getCollection("secret").insertOne(new Document("_id", 1).append("v", MARK));
    vault.getCollection("secret").createIndex(new Document("v", 1));
    root.getDatabase("lobby").getCollection("c").insertOne(new Document("_id", 1));
    run(vault, "{createUser: 'owner', pwd: 'p', roles: ['dbOwner']}");
    run(vault, "{createUser: 'reader', pwd: 'p', roles: ['read']}");
    run(root.getDatabase("lobby"), "{createUser: 'guest', pwd: 'p', roles: ['dbOwner']}");
    Document list = run(root.getDatabase("admin"), "{listCommands: 1}");
    commands = new TreeSet<>(list.get("commands", Document.class).keySet());
    assertThat(commands).contains("find", "insert", "createUser", "saslStart");
  }

  @AfterAll
  static void stop() {
    root.close();
    server.close();
  }

  private static Document run(MongoDatabase database, String command) {
    return database.runCommand(Document.parse(command));
  }

  /** All that could have been changed. */
  private static List<String> state() {
    var state = new ArrayList<String>();
    MongoDatabase vault = root.getDatabase("vault");
    vault.getCollection("secret").find().forEach(each -> state.add(each.toJson(CANONICAL)));
    vault.getCollection("secret").listIndexes().forEach(each -> state.add(each.toJson(CANONICAL)));
    vault.listCollections().forEach(each -> state.add(each.toJson(CANONICAL)));
    root.listDatabaseNames().forEach(state::add);
    for (String database : List.of("admin", "lobby", "vault")) {
      state.add(run(root.getDatabase(database), "{rolesInfo: 1}").get("roles").toString());
    }
    String users = "{usersInfo: {forAllDBs: true}, showCredentials: true}";
    state.add(run(root.getDatabase("admin"), users).get("users").toString());
    return state;
  }

  /** What came of the command: {@code 13}, another code, or the reply. */
  private static String outcome(MongoDatabase database, String name) {
    Document command = Document.parse(ARGUMENTS.getOrDefault(name, "{'" + name + "': 'secret'}"));
    try {
      return database.runCommand(command).toJson(CANONICAL);
    } catch (MongoCommandException e) {
      return e.getErrorCode() == UNAUTHORIZED ? "13" : e.getErrorCode() + e.getErrorMessage();
    }
  }

  private static void tryAll(MongoClient client, List<String> databases, Set<String> allowed) {
    List<String> before = state();
    var surprises = new ArrayList<String>();
    for (String name : commands) {
      for (String database : databases) {
        if (allowed.contains(name)) {
          continue;
        }
        String outcome = outcome(client.getDatabase(database), name);
        if (!outcome.equals("13")) {
          surprises.add(name + " on " + database + ": " + outcome);
        }
      }
    }
    assertThat(surprises).isEmpty();
    assertThat(state()).isEqualTo(before);
  }

  @Test
  void aStrangerMayOnlyKnock() {
    try (MongoClient stranger = server.client("", "")) {
      tryAll(stranger, List.of("vault", "admin"), FOR_STRANGERS);
    }
  }

  @Test
  void theOwnerOfAnotherDatabaseSeesAndChangesNothing() {
    try (MongoClient guest = server.client("guest:p@", "authSource=lobby")) {
      var allowed = new TreeSet<>(FOR_STRANGERS);
      allowed.addAll(FOR_ALL_USERS);
      tryAll(guest, List.of("vault", "admin"), allowed);
      assertThat(guest.listDatabaseNames()).contains("lobby").doesNotContain("vault", "admin");
    }
  }

  @Test
  void aReaderReadsAndChangesNothing() {
    try (MongoClient reader = server.client("reader:p@", "authSource=vault")) {
      var allowed = new TreeSet<>(FOR_STRANGERS);
      allowed.addAll(FOR_ALL_USERS);
      allowed.addAll(FOR_READERS);
      tryAll(reader, List.of("vault", "admin"), allowed);
      MongoDatabase vault = reader.getDatabase("vault");
      assertThat(vault.getCollection("secret").find().first()).containsEntry("v", MARK);
      assertThat(outcome(reader.getDatabase("lobby"), "find")).isEqualTo("13");
    }
  }

  /** An upsert may insert, so it needs the right to; what only looks like one does not. */
  @Test
  void anUpdaterMayNotUpsert() {
    MongoDatabase lobby = root.getDatabase("lobby");
    run(
        lobby,
        "{createRole: 'updater', roles: [], privileges: [{resource: {db: 'lobby', collection: 'u'},"
            + " actions: ['find', 'update']}]}");
    run(lobby, "{createUser: 'updater', pwd: 'p', roles: ['updater']}");
    try (MongoClient updater = server.client("updater:p@", "authSource=lobby")) {
      MongoDatabase own = updater.getDatabase("lobby");
      String modify = "{findAndModify: 'u', query: {}, update: {$set: {v: 1}}, upsert: %s}";
      for (String upsert : List.of("false", "0", "0.0")) {
        assertThat(run(own, modify.formatted(upsert))).containsEntry("value", null);
      }
      for (String upsert : List.of("true", "1", "0.5")) {
        assertThatThrownBy(() -> run(own, modify.formatted(upsert)))
            .isInstanceOf(MongoCommandException.class)
            .hasMessageContaining("not authorized on lobby to execute command");
      }
    } finally {
      run(lobby, "{dropUser: 'updater'}");
      run(lobby, "{dropRole: 'updater'}");
    }
  }

  @Test
  void pipelinesAndViewsReachNoOtherDatabase() {
    List<String> before = state();
    try (MongoClient guest = server.client("guest:p@", "authSource=lobby")) {
      MongoDatabase lobby = guest.getDatabase("lobby");
      for (String stage :
          List.of(
              "{$lookup: {from: {db: 'vault', coll: 'secret'}, pipeline: [], as: 'x'}}",
              "{$facet: {a: [{$lookup: {from: {db: 'vault', coll: 'secret'}, as: 'x'}}]}}",
              "{$unionWith: {db: 'vault', coll: 'secret'}}",
              "{$unionWith: {coll: 'c', pipeline: [{$unionWith: {db: 'vault', coll: 'secret'}}]}}",
              "{$out: {db: 'vault', coll: 'planted'}}",
              "{$merge: {into: {db: 'vault', coll: 'secret'}}}",
              "{$merge: 'system.views'}")) {
        String command = "{aggregate: 'c', pipeline: [" + stage + "], cursor: {}}";
        assertThatThrownBy(() -> run(lobby, command))
            .as(stage)
            .isInstanceOf(MongoCommandException.class)
            .hasMessageContaining("not authorized on lobby to execute command { aggregate: \"c\"");
      }
    }
    assertThat(state()).isEqualTo(before);
  }

  @Test
  void nobodyMakesThemselvesMoreThanTheyAre() {
    List<String> before = state();
    try (MongoClient guest = server.client("guest:p@", "authSource=lobby")) {
      MongoDatabase lobby = guest.getDatabase("lobby");
      for (String command :
          List.of(
              "{grantRolesToUser: 'guest', roles: [{role: 'read', db: 'vault'}]}",
              "{createUser: 'u', pwd: 'p', roles: [{role: 'root', db: 'admin'}]}",
              "{updateUser: 'guest', roles: [{role: 'root', db: 'admin'}]}",
              "{createRole: 'r', privileges: [{resource: {db: 'vault', collection: ''},"
                  + " actions: ['find']}], roles: []}",
              "{createRole: 'r', privileges: [{resource: {anyResource: true},"
                  + " actions: ['anyAction']}], roles: []}",
              "{createRole: 'r', privileges: [], roles: [{role: 'read', db: 'vault'}]}",
              "{usersInfo: {user: 'owner', db: 'vault'}}")) {
        assertThatThrownBy(() -> run(lobby, command))
            .as(command)
            .hasMessageContaining("not authorized on lobby to execute command");
      }
      assertThatThrownBy(() -> run(lobby, "{createUser: 'u', pwd: 'hush', roles: ['root', 1]}"))
          .isInstanceOf(MongoCommandException.class)
          .hasMessageNotContaining("hush");
    }
    assertThat(state()).isEqualTo(before);
  }

  @Test
  void aCustomRoleReachesOneCollection() {
    MongoDatabase vault = root.getDatabase("vault");
    run(
        vault,
        "{createRole: 'clerk', roles: [], privileges: [{resource: {db: 'vault', collection:"
            + " 'desk'}, actions: ['find', 'insert']}]}");
    run(vault, "{createUser: 'clerk', pwd: 'p', roles: ['clerk']}");
    try (MongoClient clerk = server.client("clerk:p@", "authSource=vault")) {
      MongoDatabase mine = clerk.getDatabase("vault");
      mine.getCollection("desk").insertOne(new Document("_id", 1));
      assertThat(mine.getCollection("desk").find()).hasSize(1);
      assertThat(outcome(mine, "find")).isEqualTo("13");
      assertThatThrownBy(() -> mine.getCollection("desk").deleteOne(new Document()))
          .hasMessageContaining("not authorized on vault to execute command { delete: \"desk\"");
      run(
          vault,
          "{revokePrivilegesFromRole: 'clerk', privileges: [{resource: {db: 'vault',"
              + " collection: 'desk'}, actions: ['find']}]}");
      assertThatThrownBy(() -> mine.getCollection("desk").find().first())
          .hasMessageContaining("not authorized on vault");
    } finally {
      run(vault, "{dropUser: 'clerk'}");
      run(vault, "{dropRole: 'clerk'}");
      vault.getCollection("desk").drop();
    }
  }
}
