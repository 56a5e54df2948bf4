package dev.orrery.compat.soak;

import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/** Reads as applications do. */
final class Reader implements Actor {
  private static final List<String> REQUESTS =
      List.of(
          "{find: 'docs', filter: {w: %d}, sort: {n: -1}, limit: 20}",
          "{count: 'docs', query: {w: {$gt: %d}}}",
          "{distinct: 'docs', key: 'w', query: {n: {$gt: %d}}}",
          "{aggregate: 'docs', pipeline: [{$match: {w: {$ne: %d}}}, {$group: {_id: '$k', n: {$sum:"
              + " 1}}}, {$sort: {n: -1}}], cursor: {}}",
          "{collStats: 'docs', scale: %d}",
          "{ping: %d}",
          "{serverStatus: %d}");

  /** QueryPlanKilled: what a query gets whose index is dropped under it. */
  private static final int INDEX_DROPPED = 175;

  private final SoakRun run;
  private final SoakClient client;

  Reader(SoakRun run) {
    this.run = run;
    this.client = new SoakClient(run, "soak");
  }

  @Override
  public void act(Random random) throws IOException {
    String request = REQUESTS.get(random.nextInt(REQUESTS.size()));
    BsonDocument reply = client.command(request.formatted(1 + random.nextInt(31)));
    int code = reply.getNumber("code", new BsonInt32(0)).intValue();
    if (!SoakClient.isOk(reply) && code != INDEX_DROPPED) {
      run.fail(request + " got " + reply.toJson());
    }
  }
}
