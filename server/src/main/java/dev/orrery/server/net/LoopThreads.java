package dev.orrery.server.net;

import dev.orrery.lane.Lane;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.function.Consumer;

/** The threads of event loops, which know that they are. */
final class LoopThreads extends DefaultThreadFactory {
  private final Consumer<Throwable> ended;

  /**
   * @param ended is told when a thread has ended, and why if it threw anything
   */
  LoopThreads(Consumer<Throwable> ended) {
    super("net");
    this.ended = ended;
  }

  @Override
  protected Thread newThread(Runnable work, String name) {
    return new LoopThread(
        threadGroup,
        () -> {
          Throwable failure = null;
          try {
            work.run();
          } catch (Throwable e) {
            failure = e;
          } finally {
            ended.accept(failure);
          }
        },
        name);
  }

  private static final class LoopThread extends FastThreadLocalThread implements Lane.Bound {
    LoopThread(ThreadGroup group, Runnable work, String name) {
      super(group, work, name);
    }

    @Override
    public Lane lane() {
      return Lane.EVENT_LOOP;
    }
  }
}
