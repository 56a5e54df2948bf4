package dev.orrery.compat.soak;

import java.io.IOException;
import java.util.List;
import java.util.Random;

/** Builds and drops indexes of the collection that everybody writes to. */
final class IndexBuilder implements Actor {
  private static final List<String> KEYS =
      List.of("{n: 1}", "{w: 1, n: -1}", "{'x': 'hashed'}", "{'$**': 1}", "{n: 1, u: 1}");

  private final SoakClient client;

  IndexBuilder(SoakRun run) {
    this.client = new SoakClient(run, "soak");
  }

  @Override
  public int pauseMillis() {
    return 1000;
  }

  @Override
  public void act(Random random) throws IOException {
    int which = random.nextInt(KEYS.size());
    client.must(
        "{createIndexes: 'docs', indexes: [{key: %s, name: 'soak%d'}]}"
            .formatted(KEYS.get(which), which));
    client.command(
        "{find: 'docs', filter: {n: {$gt: 100}}, sort: {n: 1}, limit: 10, maxTimeMS: 5000}");
    client.command("{dropIndexes: 'docs', index: 'soak%d'}".formatted(random.nextInt(KEYS.size())));
  }
}
