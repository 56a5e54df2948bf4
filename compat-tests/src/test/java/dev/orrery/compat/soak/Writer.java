package dev.orrery.compat.soak;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * A client that owns some documents of a collection that others write to as well, and a counter
 * that it raises with retryable writes. After every start of the server it looks whether all is as
 * it was told.
 */
final class Writer implements Actor {
  private static final int DOCUMENTS_MAX = 200;
  private static final int GROUP = 5;
  private static final int KEYS = 8;
  private static final int DUPLICATE_KEY = 11000;

  private final SoakRun run;
  private final int number;
  private final SoakClient client;
  private final WriterModel model = new WriterModel();
  private int made;
  private int values;
  private long counted;
  private boolean isUncertain;

  Writer(SoakRun run, int number) {
    this.run = run;
    this.number = number;
    this.client = new SoakClient(run, "soak");
  }

  @Override
  public void act(Random random) throws IOException {
    if (isUncertain || model.hasPending()) {
      verify("{find: 'docs', filter: {w: %d}, hint: 'w', batchSize: 5000}");
      isUncertain = false;
    }
    isUncertain = true; // until the step is done
    switch (model.isEmpty() ? 0 : random.nextInt(8)) {
      case 0, 1 -> insert(random);
      case 2, 3 -> update(random);
      case 4 -> modify(random);
      case 5 -> delete(random);
      case 6 -> repeatKey(random);
      default -> count();
    }
    isUncertain = false;
  }

  private void insert(Random random) throws IOException {
    if (model.size() >= DOCUMENTS_MAX) {
      delete(random);
      return;
    }
    var documents = new BsonArray();
    for (int i = 0; i < GROUP; i++) {
      String id = number + "-" + ++made;
      model.begin(id, ++values);
      documents.add(document(id, values, random));
    }
    acknowledge(new BsonDocument("insert", new BsonString("docs")).append("documents", documents));
  }

  private BsonDocument document(String id, int value, Random random) {
    return new BsonDocument("_id", new BsonString(id))
        .append("k", new BsonString(key(id)))
        .append("w", new BsonInt32(number))
        .append("n", new BsonInt32(value))
        .append("u", new BsonString(id))
        .append("x", new BsonString("x".repeat(100 + random.nextInt(1500))));
  }

  private static String key(String id) {
    return "k" + Math.floorMod(id.hashCode(), KEYS * 32);
  }

  private void update(Random random) throws IOException {
    String id = model.any(random);
    model.begin(id, ++values);
    BsonDocument change =
        random.nextBoolean()
            ? BsonDocument.parse("{$set: {n: %d}}".formatted(values))
            : document(id, values, random);
    var statement = new BsonDocument("q", which(id)).append("u", change);
    acknowledge(
        new BsonDocument("update", new BsonString("docs"))
            .append("updates", new BsonArray(List.of(statement))));
  }

  private void modify(Random random) throws IOException {
    String id = model.any(random);
    model.begin(id, ++values);
    BsonDocument reply =
        client.must(
            new BsonDocument("findAndModify", new BsonString("docs"))
                .append("query", which(id))
                .append("update", BsonDocument.parse("{$set: {n: %d}}".formatted(values)))
                .append("new", BsonBoolean.TRUE));
    require(reply.get("value").isDocument(), "findAndModify finds " + id);
    model.acknowledge();
  }

  private void delete(Random random) throws IOException {
    String id = model.any(random);
    model.begin(id, null);
    var statement = new BsonDocument("q", which(id)).append("limit", new BsonInt32(1));
    acknowledge(
        new BsonDocument("delete", new BsonString("docs"))
            .append("deletes", new BsonArray(List.of(statement))));
  }

  private static BsonDocument which(String id) {
    return new BsonDocument("_id", new BsonString(id)).append("k", new BsonString(key(id)));
  }

  private void acknowledge(BsonDocument write) throws IOException {
    int documents = write.containsKey("documents") ? write.getArray("documents").size() : 1;
    BsonDocument reply = client.must(write);
    int n = reply.getNumber("n").intValue();
    require(n == documents, write.getFirstKey() + " changes " + n + " of " + documents);
    model.acknowledge();
  }

  /** A unique key that is there must stay the only one. */
  private void repeatKey(Random random) throws IOException {
    String id = model.any(random);
    BsonDocument copy = document(id, 0, random);
    copy.put("_id", new BsonString(id + "-again"));
    BsonDocument reply =
        client.command(
            new BsonDocument("insert", new BsonString("docs"))
                .append("documents", new BsonArray(List.of(copy))));
    boolean isRefused =
        reply.containsKey("writeErrors")
            && reply.getArray("writeErrors").get(0).asDocument().getInt32("code").getValue()
                == DUPLICATE_KEY;
    require(isRefused, "the unique key of " + id + " is refused: " + reply.toJson());
  }

  /** The same write again after a cut-off counts once. */
  private void count() throws IOException {
    counted++;
    raise();
  }

  private void raise() throws IOException {
    BsonDocument raise =
        BsonDocument.parse(
            "{update: 'counters', updates: [{q: {_id: %d}, u: {$inc: {n: 1}}, upsert: true}]}"
                .formatted(number));
    BsonDocument reply =
        client.must(
            raise.append("lsid", client.session()).append("txnNumber", new BsonInt64(counted)));
    require(reply.getNumber("n").intValue() == 1, "the counter is raised: " + reply.toJson());
  }

  /** Reads all of this client's documents with that command, and compares. */
  void verify(String find) throws IOException {
    Map<String, Integer> found = new HashMap<>();
    BsonDocument reply = client.must(find.formatted(number));
    for (BsonValue each : reply.getDocument("cursor").getArray("firstBatch")) {
      BsonDocument document = each.asDocument();
      String id = document.getString("_id").getValue();
      Integer before = found.put(id, document.getInt32("n").getValue());
      require(before == null, id + " is there twice");
    }
    require(reply.getDocument("cursor").getInt64("id").getValue() == 0, "all fits into one batch");
    String wrong = model.compare(found);
    require(wrong.isEmpty(), wrong);
    if (counted > 0) {
      raise(); // again: whether it was done is not known
      BsonDocument counter = client.must("{find: 'counters', filter: {_id: %d}}".formatted(number));
      BsonArray batch = counter.getDocument("cursor").getArray("firstBatch");
      long n = batch.isEmpty() ? 0 : batch.get(0).asDocument().getNumber("n").longValue();
      require(n == counted, "counter %d is %d after %d raises".formatted(number, n, counted));
    }
  }

  private void require(boolean isSo, String what) {
    if (!isSo) {
      run.fail("client " + number + ": " + what);
    }
  }
}
