package dev.orrery.server.command.cosmos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.command.CosmosFixture;
import dev.orrery.storage.CollectionStore;
import java.nio.file.Path;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No array comes onto the path of a partition key, in either profile, on any way in. */
final class PartitionKeyArraysTest {
  private static final String INSERTED =
      "61 Shard key cannot contain array values or array descendants.";
  private static final String UPDATED =
      "54 After applying the update to the document, the field '%s' was found to be an array or"
          + " array descendant.";
  private static final String RETRYABLE =
      ", lsid: {id: {$binary: {base64: 'AAAAAAAAAAAAAAAAAAAAAA==', subType: '04'}}},"
          + " txnNumber: {$numberLong: '%d'}";

  @TempDir Path directory;

  /** A key, a document that has it, and what has an array on its path. */
  private record Case(String path, String good, List<String> bad) {}

  private static final List<Case> CASES =
      List.of(
          new Case("k", "k: 1", List.of("k: [1]", "k: []")),
          new Case(
              "a.b",
              "a: {b: 1}",
              List.of("a: [{b: 1}]", "a: []", "a: {b: [1]}", "a: [[{b: 1}]]", "a: [{c: 1}, 2]")),
          new Case("a.0", "a: {'0': 1}", List.of("a: [1]", "a: [{'0': 1}]", "a: {'0': [1]}")),
          new Case("a.b.c", "a: {b: {c: 1}}", List.of("a: {b: [{c: 1}]}", "a: [{b: {c: 1}}]")));

  @Test
  void theProfileExtendedRefusesThem() {
    try (var server = CosmosFixture.extended(directory)) {
      CASES.forEach(one -> refuses(server, one, true));
    }
  }

  @Test
  void theProfileCosmosRefusesThem() {
    try (var server = CosmosFixture.cosmos(directory)) {
      CASES.forEach(one -> refuses(server, one, false));
    }
  }

  private static void refuses(CosmosFixture server, Case one, boolean hasRetries) {
    server.must("{shardCollection: 'shop.c', key: {'" + one.path + "': 'hashed'}, $db: 'admin'}");
    server.must("{insert: 'c', documents: [{_id: 1, " + one.good + "}]}");
    String before = server.run("{find: 'c'}").getDocument("cursor").toJson();
    String query = "{_id: 1, '" + one.path + "': 1}";
    for (String bad : one.bad) {
      assertThat(error(server, "{insert: 'c', documents: [{_id: 2, " + bad + "}]}"))
          .isEqualTo(INSERTED);
      String updated = UPDATED.formatted(one.path);
      for (String update :
          List.of("{$set: {" + bad + "}}", "{" + bad + "}", "[{$set: {" + bad + "}}]")) {
        String fields = "{q: " + query + ", u: " + update + "}";
        assertThat(error(server, "{update: 'c', updates: [" + fields + "]}"))
            .as(update)
            .isEqualTo(updated);
        assertThat(
                error(server, "{findAndModify: 'c', query: " + query + ", update: " + update + "}"))
            .endsWith(updated.substring(3));
        if (hasRetries) {
          String retry = RETRYABLE.formatted(System.nanoTime());
          assertThat(error(server, "{update: 'c', updates: [" + fields + "]" + retry + "}"))
              .isEqualTo(updated);
        }
      }
      String many = "{q: {}, u: {$set: {" + bad + "}}, multi: true}";
      assertThat(error(server, "{update: 'c', updates: [" + many + "]}")).isEqualTo(updated);
      String upsert = "{q: {_id: 3, '" + one.path + "': 7}, u: {" + bad + "}, upsert: true}";
      assertThat(error(server, "{update: 'c', updates: [" + upsert + "]}")).isEqualTo(INSERTED);
      if (hasRetries) {
        server.must("{insert: 'plain', documents: [{_id: 2, " + bad + "}]}");
        String out = "{aggregate: 'plain', pipeline: [{$out: 'c'}], cursor: {}}";
        assertThat(error(server, out)).endsWith(INSERTED.substring(3));
        String merge = "{aggregate: 'plain', pipeline: [{$merge: 'c'}], cursor: {}}";
        assertThat(error(server, merge)).startsWith("51132");
        server.must("{drop: 'plain'}");
      }
    }
    assertThat(server.run("{find: 'c'}").getDocument("cursor").toJson()).isEqualTo(before);
    for (CollectionStore collection : server.engine.collections()) {
      assertThat(server.engine.validate(collection)).isEmpty();
    }
    server.must("{drop: 'c'}");
  }

  /** Code and message of the command's error, or of its first write error. */
  private static String error(CosmosFixture server, String command) {
    BsonDocument reply = server.run(command);
    BsonArray errors = reply.getArray("writeErrors", new BsonArray(List.of(reply)));
    BsonDocument first = errors.get(0).asDocument();
    return first.containsKey("code")
        ? first.getInt32("code").getValue() + " " + first.getString("errmsg").getValue()
        : reply.toJson();
  }

  @Test
  void anUnorderedInsertLeavesOutOnlyTheDocumentWithAnArray() {
    try (var server = CosmosFixture.extended(directory)) {
      server.must("{shardCollection: 'shop.c', key: {'a.b': 'hashed'}, $db: 'admin'}");
      BsonDocument reply =
          server.run(
              "{insert: 'c', ordered: false, documents: [{_id: 1, a: {b: 1}}, {_id: 2, a: [{b:"
                  + " 1}]}, {_id: 3, a: 5}, {_id: 4}]}");
      assertThat(reply.getInt32("n").getValue()).isEqualTo(3);
      assertThat(reply.getArray("writeErrors")).hasSize(1);
    }
  }
}
