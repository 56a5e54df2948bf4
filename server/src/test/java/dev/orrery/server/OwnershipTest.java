package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.bson.BsonBinaryWriter;
import org.bson.Document;
import org.bson.RawBsonDocument;
import org.bson.io.BasicOutputBuffer;
import org.bson.json.JsonReader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What belongs to one user is not for another, whatever words they ask in. */
class OwnershipTest {
  private static TestServer server;
  private static MongoClient root;
  private static MongoClient ann;
  private static MongoClient bob;
  private static MongoClient clerk;
  private static MongoDatabase shop;

  @BeforeAll
  static void start() throws IOException {
    server = TestServer.start("--auth");
    server.createRoot();
    root = server.client("root:secret@", "");
    shop = root.getDatabase("shop");
    for (String name : List.of("open", "secret")) {
      shop.getCollection(name)
          .insertMany(
              IntStream.range(0, 10)
                  .mapToObj(i -> new Document("_id", i).append("v", name))
                  .toList());
    }
    run(
        shop,
        "{createRole: 'clerk', roles: [], privileges: [{resource: {db: 'shop', collection: 'open'},"
            + " actions: ['find', 'renameCollectionSameDB', 'insert', 'createCollection']},"
            + " {resource: {db: 'shop', collection: 'secret'},"
            + " actions: ['renameCollectionSameDB', 'dropCollection']}]}");
    run(shop, "{createUser: 'ann', pwd: 'p', roles: ['readWrite']}");
    run(shop, "{createUser: 'bob', pwd: 'p', roles: ['read']}");
    run(shop, "{createUser: 'clerk', pwd: 'p', roles: ['clerk']}");
    ann = server.client("ann:p@", "authSource=shop");
    bob = server.client("bob:p@", "authSource=shop");
    clerk = server.client("clerk:p@", "authSource=shop");
  }

  @AfterAll
  static void stop() {
    List.of(ann, bob, clerk, root).forEach(MongoClient::close);
    server.close();
  }

  private static Document run(MongoDatabase database, String command) {
    return database.runCommand(Document.parse(command));
  }

  private static long open(MongoClient client, String collection) {
    Document reply =
        run(client.getDatabase("shop"), "{find: '%s', batchSize: 1}".formatted(collection));
    return reply.get("cursor", Document.class).getLong("id");
  }

  private static String getMore(long id, String collection) {
    return "{getMore: {$numberLong: '%d'}, collection: '%s'}".formatted(id, collection);
  }

  private static String kill(long id, String collection) {
    return "{killCursors: '%s', cursors: [{$numberLong: '%d'}]}".formatted(collection, id);
  }

  @Test
  void aCursorIsReadByNobodyElse() {
    long id = open(ann, "open");
    assertThatThrownBy(() -> run(bob.getDatabase("shop"), getMore(id, "open")))
        .isInstanceOf(MongoCommandException.class)
        .hasMessageContaining("cursor id " + id + " was not created by the authenticated user");
    assertThatThrownBy(() -> run(root.getDatabase("shop"), getMore(id, "open")))
        .hasMessageContaining("was not created by the authenticated user");
  }

  @Test
  void aCursorIsKilledByItsOwnerOrWhoMayKillAny() {
    long id = open(ann, "open");
    assertThatThrownBy(() -> run(bob.getDatabase("shop"), kill(id, "open")))
        .isInstanceOf(MongoCommandException.class)
        .hasMessageContaining("not authorized to kill cursor on shop.open");
    Document elsewhere = run(ann.getDatabase("shop"), kill(id, "secret"));
    assertThat(elsewhere.getList("cursorsNotFound", Long.class)).containsExactly(id);
    Document own = run(ann.getDatabase("shop"), kill(id, "open"));
    assertThat(own.getList("cursorsKilled", Long.class)).containsExactly(id);
    long other = open(ann, "open");
    Document any = run(root.getDatabase("shop"), kill(other, "open"));
    assertThat(any.getList("cursorsKilled", Long.class)).containsExactly(other);
  }

  @Test
  void othersSeeNeitherMyIdleCursorsNorMySessions() {
    long id = open(ann, "open");
    String list =
        "{aggregate: 1, pipeline: [{$currentOp: {idleCursors: true, idleConnections: true}}],"
            + " cursor: {}}";
    assertThat(run(bob.getDatabase("admin"), list).toJson()).doesNotContain("" + id);
    assertThat(run(ann.getDatabase("admin"), list).toJson()).contains("" + id);
    assertThat(run(bob.getDatabase("admin"), list).toJson()).doesNotContain("\"ann\"");
  }

  @Test
  void whatWasRevokedEndsACursor() {
    run(shop, "{createUser: 'eve', pwd: 'p', roles: ['read']}");
    try (MongoClient eve = server.client("eve:p@", "authSource=shop")) {
      long id = open(eve, "open");
      run(shop, "{revokeRolesFromUser: 'eve', roles: ['read']}");
      assertThatThrownBy(() -> run(eve.getDatabase("shop"), getMore(id, "open")))
          .hasMessageContaining("not authorized");
    }
  }

  @Test
  void statisticsOfRequestsShowOnlyWhatOneMayRead() {
    shop.getCollection("secret").find().comment("hush").first();
    Document all = run(shop, "{ruStatistics: 1}");
    assertThat(all.toJson()).contains("hush", "shop.secret", "shapes", "applications");
    Document part = run(clerk.getDatabase("shop"), "{ruStatistics: 1}");
    assertThat(part.toJson()).contains("shop.open").doesNotContain("hush", "secret");
    assertThat(part.keySet()).doesNotContain("commands", "shapes", "applications", "comments");
    assertThat(run(bob.getDatabase("shop"), "{ruStatistics: 1}").toJson()).doesNotContain("hush");
  }

  @Test
  void listsShowWhatOneMayDoSomethingWith() {
    Document names =
        run(
            clerk.getDatabase("shop"),
            "{listCollections: 1, nameOnly: true, authorizedCollections: true}");
    var shown = new ArrayList<String>();
    names
        .get("cursor", Document.class)
        .getList("firstBatch", Document.class)
        .forEach(each -> shown.add(each.getString("name")));
    assertThat(shown).containsExactly("open", "secret"); // which it may rename
    run(root.getDatabase("other"), "{create: 'c'}");
    assertThat(run(clerk.getDatabase("admin"), "{listDatabases: 1, nameOnly: true}").toJson())
        .contains("shop")
        .doesNotContain("other");
  }

  @Test
  void aRenameMakesNothingReadable() {
    assertThatThrownBy(
            () ->
                run(
                    clerk.getDatabase("admin"),
                    "{renameCollection: 'shop.secret', to: 'shop.open', dropTarget: true}"))
        .hasMessageContaining("not authorized on admin");
  }

  @Test
  void nobodyLooksAtOthersByNamingThemselves() {
    for (String which :
        List.of(
            "{user: 'bob', db: 'shop', forAllDBs: true}",
            "[{user: 'bob', db: 'shop', forAllDBs: true}]",
            "[[{user: 'ann', db: 'shop'}]]",
            "['bob', 'ann']")) {
      assertThatThrownBy(() -> run(bob.getDatabase("shop"), "{usersInfo: " + which + "}"))
          .as(which)
          .hasMessageContaining("not authorized on shop");
    }
    assertThat(run(bob.getDatabase("shop"), "{usersInfo: ['bob']}").toJson()).contains("bob");
  }

  @Test
  void ownSessionsAreListedByName() {
    String list = "{aggregate: 1, pipeline: [{$listLocalSessions: {users: [%s]}}], cursor: {}}";
    run(bob.getDatabase("shop"), list.formatted("{user: 'bob', db: 'shop'}"));
    assertThatThrownBy(
            () ->
                run(
                    bob.getDatabase("shop"),
                    list.formatted("{user: 'bob', db: 'shop'}, {user: 'ann', db: 'shop'}")))
        .hasMessageContaining("not authorized on shop");
  }

  /** A field may come twice on the wire; what is checked must be what is done. */
  @Test
  void aFieldThatComesTwiceGetsNobodyPastTheCheck() {
    String aggregate = "{aggregate: 'open', pipeline: [%s], cursor: {}}";
    for (String stage :
        List.of(
            "{$unionWith: 'open', $unionWith: 'secret'}",
            "{$lookup: {from: 'open', as: 'x', pipeline: [], from: 'secret'}}",
            "{$unionWith: {coll: 'open', coll: 'secret'}}",
            "{$unionWith: {coll: 'open', pipeline: [], pipeline: [{$unionWith: 'secret'}]}}",
            "{$facet: {a: [], a: [{$unionWith: 'secret'}]}}",
            "{$out: 'open', $out: 'secret'}",
            "{$merge: {into: 'open', into: 'secret'}}")) {
      assertThatThrownBy(() -> asWritten(aggregate.formatted(stage)))
          .as(stage)
          .isInstanceOf(MongoCommandException.class)
          .hasMessageContaining("not authorized on shop to execute command");
    }
    assertThatThrownBy(
            () ->
                asWritten(
                    "{aggregate: 1, pipeline: [{$listLocalSessions:"
                        + " {allUsers: false, allUsers: true}}], cursor: {}}"))
        .hasMessageContaining("not authorized on shop to execute command");
    for (String command :
        List.of(
            "{aggregate: 'open', pipeline: [], pipeline: [{$unionWith: 'secret'}], cursor: {}}",
            "{explain: {aggregate: 'open', pipeline: [], cursor: {}, aggregate: 'secret'}}",
            "{explain: {aggregate: 'open', pipeline: [], pipeline: [{$unionWith: 'secret'}]}}",
            "{explain: {find: 'open', find: 'secret'}}",
            "{find: 'open', find: 'secret'}")) {
      assertThatThrownBy(() -> asWritten(command))
          .as(command)
          .isInstanceOf(MongoCommandException.class)
          .hasMessageContaining("duplicate field");
    }
  }

  /** Runs a command with all its fields, also those that come twice. */
  private static Document asWritten(String json) {
    var buffer = new BasicOutputBuffer();
    try (var writer = new BsonBinaryWriter(buffer)) {
      writer.pipe(new JsonReader(json));
    }
    return clerk.getDatabase("shop").runCommand(new RawBsonDocument(buffer.toByteArray()));
  }

  @Test
  void everybodyEndsWhatTheyBeganAndNothingElse() {
    assertThatThrownBy(() -> run(bob.getDatabase("admin"), "{killOp: 1, op: 123456}"))
        .hasMessageContaining("not authorized on admin to execute command { killOp: 1");
  }
}
