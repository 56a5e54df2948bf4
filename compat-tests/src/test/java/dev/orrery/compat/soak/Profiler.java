package dev.orrery.compat.soak;

import java.io.IOException;
import java.util.Random;

/** Turns the profiler on and off, and reads what it wrote. */
final class Profiler implements Actor {
  private final SoakClient client;

  Profiler(SoakRun run) {
    this.client = new SoakClient(run, "soak");
  }

  @Override
  public int pauseMillis() {
    return 500;
  }

  @Override
  public void act(Random random) throws IOException {
    client.must("{profile: 2}");
    SoakRun.pause(random.nextInt(2000));
    client.must("{find: 'system.profile', sort: {$natural: -1}, limit: 20}");
    client.must("{profile: 0}");
    if (random.nextInt(4) == 0) {
      client.command("{drop: 'system.profile'}"); // refused while another step profiles
    }
  }
}
