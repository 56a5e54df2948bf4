package dev.orrery.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/**
 * One client of a server that is going to be killed: it inserts documents in groups and updates
 * them, and keeps a record of what was acknowledged and of the one command that was not.
 */
final class CrashWriter {
  private static final int GROUP_DOCUMENTS = 10;

  private final int number;
  private final Random random;
  private final List<String> ids = new ArrayList<>();
  private final Map<String, Integer> acknowledged = new HashMap<>();

  /** What the command under way wants the documents to be; empty between commands. */
  private final Map<String, Integer> pending = new HashMap<>();

  private int groups;
  private int values;

  CrashWriter(int number, long seed) {
    this.number = number;
    this.random = new Random(seed);
  }

  /** The value of each document that must be there. */
  Map<String, Integer> acknowledged() {
    return acknowledged;
  }

  static BsonDocument command(String json) {
    return BsonDocument.parse(json).append("$db", new BsonString("crash"));
  }

  /** Writes until the connection breaks. */
  void writeUntilCutOff(int port) {
    try (var client = new WireClient(port)) {
      while (true) {
        pending.clear();
        BsonDocument command = ids.isEmpty() || random.nextInt(3) == 0 ? insert() : update();
        BsonDocument reply = client.command(command);
        assertThat(reply.getNumber("ok").intValue()).as(reply.toJson()).isEqualTo(1);
        assertThat(reply.containsKey("writeErrors")).as(reply.toJson()).isFalse();
        assertThat(reply.getNumber("n").intValue()).isEqualTo(pending.size());
        acknowledge();
      }
    } catch (IOException e) {
      return; // killed: what is pending may have happened or not
    }
  }

  private BsonDocument insert() {
    groups++;
    var documents = new BsonArray();
    for (int i = 0; i < GROUP_DOCUMENTS; i++) {
      String id = number + "-" + groups + "-" + i;
      pending.put(id, ++values);
      documents.add(
          new BsonDocument("_id", new BsonString(id))
              .append("n", new BsonInt32(values))
              .append("x", new BsonString("x".repeat(random.nextInt(200)))));
    }
    return command("{insert: 'docs'}").append("documents", documents);
  }

  private BsonDocument update() {
    String id = ids.get(random.nextInt(ids.size()));
    pending.put(id, ++values);
    return command(
        "{update: 'docs', updates: [{q: {_id: '%s'}, u: {$set: {n: %d}}}]}".formatted(id, values));
  }

  private void acknowledge() {
    pending.forEach(
        (id, value) -> {
          if (acknowledged.put(id, value) == null) {
            ids.add(id);
          }
        });
    pending.clear();
  }

  /** Compares with what a restarted server has, and settles what became of the last command. */
  void verify(Map<String, Integer> found, String when) {
    long happened =
        pending.entrySet().stream()
            .filter(one -> one.getValue().equals(found.get(one.getKey())))
            .count();
    assertThat(happened).as("documents of one group, " + when).isIn(0L, (long) pending.size());
    if (happened > 0) {
      acknowledge();
    }
    pending.clear();
    acknowledged.forEach(
        (id, value) -> assertThat(found.get(id)).as(id + ", " + when).isEqualTo(value));
  }
}
