package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.InsertManyOptions;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBinarySubType;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The commands that the MongoDB Database Tools send, one by one, as they send them. */
final class ToolCommandsTest {
  private static final int COMMAND_NOT_FOUND = 59;

  @RegisterExtension private static final SharedServer server = new SharedServer();
  private static MongoClient client;

  @BeforeAll
  static void start() {
    client = MongoClients.create(server.uri());
  }

  @AfterAll
  static void stop() {
    client.close();
  }

  @BeforeEach
  void clear() {
    database().drop();
  }

  private static MongoDatabase database() {
    return client.getDatabase("imp");
  }

  private static MongoCollection<BsonDocument> collection(String name) {
    return database().getCollection(name, BsonDocument.class);
  }

  private static BsonDocument run(String json) {
    return run(BsonDocument.parse(json));
  }

  private static BsonDocument run(BsonDocument command) {
    return database().runCommand(command, BsonDocument.class);
  }

  private static BsonDocument admin(String json) {
    return client.getDatabase("admin").runCommand(BsonDocument.parse(json), BsonDocument.class);
  }

  private static List<BsonDocument> batch(BsonDocument reply) {
    return reply.getDocument("cursor").getArray("firstBatch").stream()
        .map(BsonValue::asDocument)
        .toList();
  }

  @Test
  void allToolsBeginByAskingWhoIsThere() {
    assertThat(admin("{ping: 1}").getNumber("ok").intValue()).isEqualTo(1);
    BsonDocument hello = admin("{ismaster: 1}");
    assertThat(hello.getBoolean("ismaster").getValue()).isTrue();
    assertThat(hello.get("msg")).isNull(); // "isdbgrid" would be a mongos
    assertThat(hello.getInt32("maxWriteBatchSize").getValue()).isPositive();
    BsonDocument build = admin("{buildInfo: 1}");
    assertThat(build.getArray("versionArray")).hasSizeGreaterThanOrEqualTo(3);
    assertThat(build.getString("version").getValue()).startsWith("7.0");
    var atlas = catchThrowableOfType(MongoCommandException.class, () -> admin("{atlasVersion: 1}"));
    assertThat(atlas.getErrorCode()).isEqualTo(COMMAND_NOT_FOUND);
  }

  @Test
  void mongoimportDropsAndInsertsUnorderedWithDocumentSequences() {
    assertThat(run("{drop: 'c', writeConcern: {w: 'majority'}}").getNumber("ok").intValue())
        .isEqualTo(1);
    var documents = new ArrayList<BsonDocument>();
    for (int i = 0; i < 2_500; i++) {
      documents.add(new BsonDocument("_id", new BsonInt32(i % 2_000)));
    }
    var refused =
        catchThrowableOfType(
            MongoBulkWriteException.class,
            () -> collection("c").insertMany(documents, new InsertManyOptions().ordered(false)));
    assertThat(refused.getWriteErrors()).hasSize(500).allMatch(error -> error.getCode() == 11000);
    assertThat(refused.getWriteResult().getInsertedCount()).isEqualTo(2_000);
    BsonDocument reply =
        run(
            "{insert: 'c', documents: [{_id: 'x', t: {$timestamp: {t: 0, i: 0}}}], ordered: false,"
                + " bypassEmptyTsReplacement: true, writeConcern: {w: 'majority'}}");
    assertThat(reply.getInt32("n").getValue()).isEqualTo(1);
    BsonDocument stored = collection("c").find(BsonDocument.parse("{_id: 'x'}")).first();
    assertThat(stored.getTimestamp("t").getValue()).isZero();
  }

  @Test
  void mongoimportUpsertsInOrder() {
    BsonDocument reply =
        run(
            """
            {update: 'c', updates: [
               {q: {_id: 1}, u: {_id: 1, a: 1}, upsert: true, multi: false},
               {q: {_id: 1}, u: {$set: {b: 2}}, upsert: true, multi: false}],
             ordered: true, bypassEmptyTsReplacement: true, writeConcern: {w: 'majority'}}
            """);
    assertThat(reply.getInt32("n").getValue()).isEqualTo(2);
    assertThat(reply.getArray("upserted")).hasSize(1);
    assertThat(collection("c").find().first())
        .isEqualTo(BsonDocument.parse("{_id: 1, a: 1, b: 2}"));
  }

  @Test
  void mongoexportAndMongodumpReadWithCountHintAndNaturalOrder() {
    run("{insert: 'c', documents: [{_id: 3}, {_id: 1}, {_id: 2}]}");
    assertThat(batch(run("{listCollections: 1, filter: {name: 'c'}, cursor: {}}"))).hasSize(1);
    assertThat(run("{count: 'c'}").getNumber("n").intValue()).isEqualTo(3);
    assertThat(batch(run("{find: 'c', filter: {}, limit: 0, skip: 0}"))).hasSize(3);
    assertThat(ids("{find: 'c', filter: {}, hint: {_id: 1}}")).containsExactly(1, 2, 3);
    assertThat(ids("{find: 'c', filter: {}, hint: {$natural: 1}}")).containsExactly(3, 1, 2);
    assertThat(ids("{find: 'c', filter: {}, sort: {$natural: -1}}")).containsExactly(2, 1, 3);
    BsonDocument first = run("{find: 'c', filter: {}, batchSize: 2, noCursorTimeout: true}");
    var more =
        new BsonDocument("getMore", first.getDocument("cursor").get("id"))
            .append("collection", new BsonString("c"));
    BsonDocument rest = run(more).getDocument("cursor");
    assertThat(rest.getArray("nextBatch")).hasSize(1);
    assertThat(rest.getInt64("id").getValue()).isZero();
  }

  private static List<Integer> ids(String find) {
    return batch(run(find)).stream().map(found -> found.getInt32("_id").getValue()).toList();
  }

  @Test
  void mongodumpFindsTypeOptionsAndIdOfEveryCollection() {
    run("{create: 'log', capped: true, size: 4096}");
    run("{create: 'v', viewOn: 'log', pipeline: []}");
    for (BsonDocument listed : batch(run("{listCollections: 1, filter: {}, cursor: {}}"))) {
      switch (listed.getString("name").getValue()) {
        case "log" -> {
          assertThat(listed.keySet()).containsExactly("name", "type", "options", "info", "idIndex");
          assertThat(listed.getString("type").getValue()).isEqualTo("collection");
          var uuid = listed.getDocument("info").getBinary("uuid");
          assertThat(uuid.getType()).isEqualTo(BsonBinarySubType.UUID_STANDARD.getValue());
          assertThat(uuid.getData()).hasSize(16);
          assertThat(listed.getDocument("options").getBoolean("capped").getValue()).isTrue();
          assertThat(listed.getDocument("idIndex"))
              .isEqualTo(BsonDocument.parse("{v: 2, key: {_id: 1}, name: '_id_'}"));
        }
        case "v" -> {
          assertThat(listed.getString("type").getValue()).isEqualTo("view");
          assertThat(listed.getDocument("options"))
              .isEqualTo(BsonDocument.parse("{viewOn: 'log', pipeline: []}"));
          assertThat(listed.getDocument("info").containsKey("uuid")).isFalse();
        }
        default -> assertThat(listed.getString("name").getValue()).isEqualTo("system.views");
      }
    }
  }

  @Test
  void mongorestoreCreatesCollectionsWithWhatListCollectionsPrinted() {
    run(
        """
        {create: 'a', validator: {x: {$gt: 1}}, validationLevel: 'moderate',
         validationAction: 'warn', collation: {locale: 'de'}}
        """);
    BsonDocument listed = batch(run("{listCollections: 1, filter: {name: 'a'}}")).get(0);
    var create = new BsonDocument("create", new BsonString("b"));
    create.putAll(listed.getDocument("options"));
    create.append("idIndex", listed.getDocument("idIndex").append("ns", new BsonString("imp.b")));
    run(create);
    BsonDocument made = batch(run("{listCollections: 1, filter: {name: 'b'}}")).get(0);
    assertThat(made.getDocument("options")).isEqualTo(listed.getDocument("options"));
    assertThat(made.getDocument("idIndex").containsKey("collation")).isTrue();
  }

  @Test
  void mongorestoreBuildsAfterTheDataEveryIndexThatListIndexesPrinted() {
    new TransferData(client).create(0);
    var shop = client.getDatabase("shop");
    BsonDocument listed =
        shop.runCommand(
            BsonDocument.parse("{listIndexes: 'orders', cursor: {}}"), BsonDocument.class);
    List<BsonDocument> indexes = batch(listed);
    assertThat(indexes).hasSize(14);
    run("{insert: 'c', documents: [{_id: 1, number: 'a'}, {_id: 2, number: 'b', customer: 'x'}]}");
    var specs = new BsonArray();
    for (BsonDocument index : indexes.subList(1, indexes.size())) {
      BsonDocument spec = index.clone();
      spec.append("ns", new BsonString("imp.c"));
      spec.append("unknownOption", new BsonInt32(1));
      specs.add(spec);
    }
    run(
        new BsonDocument("createIndexes", new BsonString("c"))
            .append("indexes", specs)
            .append("ignoreUnknownIndexOptions", org.bson.BsonBoolean.TRUE));
    assertThat(batch(run("{listIndexes: 'c', cursor: {}}"))).isEqualTo(indexes);
    shop.drop();
    client.getDatabase("other").drop();
  }

  @Test
  void mongorestoreTurnsAnIndexUniqueByCollMod() {
    run("{insert: 'c', documents: [{_id: 1, a: 1}]}");
    run("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1', prepareUnique: true}]}");
    run("{collMod: 'c', index: {keyPattern: {a: 1}, unique: true}}");
    BsonDocument index = batch(run("{listIndexes: 'c'}")).get(1);
    assertThat(index.getBoolean("unique").getValue()).isTrue();
    run("{collMod: 'c', index: {name: 'a_1', hidden: true}}");
    run("{collMod: 'c', validator: {a: 1}, validationLevel: 'off'}");
  }

  @Test
  void mongorestoreIsToldThatUsersCannotBeMerged() {
    for (String command :
        List.of(
            "{_mergeAuthzCollections: 1, tempUsersCollection: 'admin.tempusers', drop: false,"
                + " db: ''}",
            "{applyOps: []}")) {
      var refused = catchThrowableOfType(MongoCommandException.class, () -> admin(command));
      assertThat(refused.getErrorCode()).isIn(COMMAND_NOT_FOUND, 238);
    }
    assertThat(admin("{ping: 1}").getNumber("ok").intValue()).isEqualTo(1);
  }

  @Test
  void mongostatFindsItsSections() {
    BsonDocument status = admin("{serverStatus: 1, recordStats: 0}");
    assertThat(status.keySet())
        .contains("host", "version", "process", "pid", "uptime", "localTime", "connections")
        .contains("mem", "network", "opcounters", "repl");
    assertThat(status.getDocument("opcounters").keySet())
        .contains("insert", "query", "update", "delete", "getmore", "command");
    assertThat(status.getDocument("connections").getNumber("current").intValue()).isPositive();
    assertThat(status.getDocument("mem").keySet()).contains("resident", "virtual");
    assertThat(status.getDocument("network").keySet())
        .contains("bytesIn", "bytesOut", "numRequests");
  }

  @Test
  void mongotopFindsTimesForNamespaces() {
    run("{insert: 'c', documents: [{_id: 1}]}");
    BsonDocument totals = admin("{top: 1}").getDocument("totals");
    totals.remove("note");
    totals.forEach(
        (namespace, times) -> {
          for (String kind : List.of("total", "readLock", "writeLock")) {
            assertThat(times.asDocument().getDocument(kind).keySet()).contains("time", "count");
          }
        });
  }
}
