package dev.orrery.compat.soak;

import java.io.IOException;
import java.util.Random;
import org.bson.BsonDocument;

/**
 * Makes collections and indexes, changes, renames and drops them, in a database of its own, where
 * nothing may fail but what must.
 */
final class DdlActor implements Actor {
  private static final int DOCUMENTS = 20;

  private final SoakRun run;
  private final SoakClient client;
  private int made;

  DdlActor(SoakRun run) {
    this.run = run;
    this.client = new SoakClient(run, "ddl");
  }

  @Override
  public int pauseMillis() {
    return 300;
  }

  @Override
  public void act(Random random) throws IOException {
    if (made % 10 == 0) {
      client.must("{dropDatabase: 1}"); // also what an earlier step left behind
    }
    String name = "c" + ++made;
    boolean isPartitioned = random.nextBoolean();
    if (isPartitioned) {
      client.must("{shardCollection: 'ddl.%s', key: {k: 'hashed'}, $db: 'admin'}".formatted(name));
    } else {
      client.must("{create: '%s'}".formatted(name));
    }
    fill(name);
    client.must(
        ("{createIndexes: '%s', indexes: [{key: {k: 1, u: 1}, name: 'u', unique: true},"
                + " {key: {v: 1}, name: 'v'}]}")
            .formatted(name));
    requireUnique(name);
    client.must("{collMod: '%s', index: {name: 'v', hidden: true}}".formatted(name));
    client.must("{collMod: '%s', validator: {v: {$gte: 0}}}".formatted(name));
    String moved = name + "-moved";
    client.must("{renameCollection: 'ddl.%s', to: 'ddl.%s', $db: 'admin'}".formatted(name, moved));
    requireCount(moved, DOCUMENTS);
    requireUnique(moved);
    client.must("{dropIndexes: '%s', index: 'v'}".formatted(moved));
    if (!isPartitioned) {
      client.must("{convertToCapped: '%s', size: 1000000}".formatted(moved));
      requireCount(moved, DOCUMENTS);
    }
    if (random.nextInt(3) > 0) {
      client.must("{drop: '%s'}".formatted(moved));
      requireCount(moved, 0);
    }
  }

  private void fill(String name) throws IOException {
    var documents = new StringBuilder();
    for (int i = 0; i < DOCUMENTS; i++) {
      documents.append("{_id: %d, k: %d, u: %d, v: %d},".formatted(i, i % 4, i, i % 3));
    }
    client.must("{insert: '%s', documents: [%s]}".formatted(name, documents));
  }

  private void requireUnique(String name) throws IOException {
    BsonDocument reply =
        client.command("{insert: '%s', documents: [{_id: 'x', k: 1, u: 1, v: 1}]}".formatted(name));
    if (!reply.containsKey("writeErrors")) {
      run.fail("a duplicate gets into ddl." + name + ": " + reply.toJson());
    }
  }

  private void requireCount(String name, int expected) throws IOException {
    int n = client.must("{count: '%s'}".formatted(name)).getNumber("n").intValue();
    if (n != expected) {
      run.fail("ddl.%s has %d documents, not %d".formatted(name, n, expected));
    }
  }
}
