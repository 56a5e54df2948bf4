package dev.orrery.compat.soak;

import java.io.IOException;
import java.util.Random;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** Writes numbers to a capped collection, and follows them with a tailable cursor. */
final class CappedFollower implements Actor {
  private final SoakRun run;
  private final SoakClient writer;
  private final SoakClient reader;
  private long written;
  private long seen;
  private long cursor;

  CappedFollower(SoakRun run) {
    this.run = run;
    this.writer = new SoakClient(run, "capped");
    this.reader = new SoakClient(run, "capped");
  }

  @Override
  public void act(Random random) throws IOException {
    if (written == 0) {
      writer.command("{create: 'log', capped: true, size: 65536}");
    }
    for (int i = 0; i < 1 + random.nextInt(20); i++) {
      written++; // also when nobody knows whether it got there: no number comes twice
      writer.must(
          "{insert: 'log', documents: [{n: {$numberLong: '%d'}, x: '%s'}]}"
              .formatted(written, "x".repeat(random.nextInt(500))));
    }
    if (cursor == 0) {
      open();
    } else {
      follow();
    }
  }

  private void open() throws IOException {
    seen = 0;
    BsonDocument find =
        BsonDocument.parse("{find: 'log', tailable: true, awaitData: true, batchSize: 10}");
    BsonDocument reply = reader.must(find.append("lsid", reader.cursorSession()));
    read(reply.getDocument("cursor"), "firstBatch");
  }

  private void follow() throws IOException {
    BsonDocument more =
        BsonDocument.parse(
            "{getMore: {$numberLong: '%d'}, collection: 'log', maxTimeMS: 100}".formatted(cursor));
    cursor = 0; // whatever happens to it now
    BsonDocument reply = reader.command(more.append("lsid", reader.cursorSession()));
    if (SoakClient.isOk(reply)) { // or it was overtaken, and begins anew
      read(reply.getDocument("cursor"), "nextBatch");
    }
  }

  private void read(BsonDocument batch, String field) {
    BsonArray documents = batch.getArray(field);
    for (BsonValue each : documents) {
      long n = each.asDocument().getNumber("n").longValue();
      if (n <= seen || n > written) {
        run.fail("the capped collection shows %d after %d".formatted(n, seen));
      }
      seen = n;
    }
    cursor = batch.getInt64("id").getValue();
  }
}
