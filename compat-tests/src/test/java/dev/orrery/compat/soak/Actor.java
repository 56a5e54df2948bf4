package dev.orrery.compat.soak;

import java.io.IOException;
import java.util.Random;

/** Somebody who does one kind of thing to the server, again and again. */
interface Actor {
  /** One step. An exception says that the server went away in the middle of it. */
  void act(Random random) throws IOException;

  /** Milliseconds between two steps, about. */
  default int pauseMillis() {
    return 50;
  }

  /** Acts until the run is over, on a thread of its own. */
  static Thread begin(SoakRun run, Actor actor, long seed) {
    var thread = new Thread(() -> loop(run, actor, new Random(seed)));
    thread.setName(actor.getClass().getSimpleName());
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static void loop(SoakRun run, Actor actor, Random random) {
    while (!run.isOver()) {
      run.enter();
      try {
        actor.act(random);
      } catch (IOException cutOff) {
        // what was under way is unknown; the actor finds out in its next step
      } catch (RuntimeException | AssertionError e) {
        run.fail(actor.getClass().getSimpleName() + " failed: " + e);
      } finally {
        run.leave();
      }
      SoakRun.pause(random.nextInt(2 * actor.pauseMillis()));
    }
  }
}
