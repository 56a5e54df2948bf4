package dev.orrery.language.limit;

import java.util.Comparator;
import java.util.function.Supplier;

/**
 * What the work that a thread does right now may take: it ends when its request is killed or its
 * time is up, and the memory it holds comes out of the server's budget. Every loop whose length a
 * client chooses calls {@link #step}, whatever builds a value of a size that a client chooses calls
 * {@link #hold}.
 *
 * <p>It is bound to the thread rather than passed along, because a filter, an expression or an
 * update is compiled once and used by whoever comes, and most of them never look for it.
 */
public final class Allowance {
  /** Throws when the work must end. */
  @FunctionalInterface
  public interface Interruption {
    void check();

    /** Whose work it is, among whom threads are divided; equal for the same one. */
    default Object owner() {
      return "";
    }
  }

  /** The memory that one request holds. */
  public interface Memory {
    /** Adds to what is held; throws when there is not so much. */
    void hold(long bytes);

    /** Adds to what is held; false, and nothing is added, when there is not so much. */
    boolean tryHold(long bytes);

    /** Holds so much as soon as there is so much; {@code check} throws when it need not be. */
    default void await(long bytes, Runnable check) {
      hold(bytes);
    }

    void release(long bytes);
  }

  private static final Memory NO_LIMIT =
      new Memory() {
        @Override
        public void hold(long bytes) {}

        @Override
        public boolean tryHold(long bytes) {
          return true;
        }

        @Override
        public void release(long bytes) {}
      };

  /** For work that no request asked for. */
  public static final Allowance UNLIMITED = new Allowance(() -> {}, NO_LIMIT);

  /** How many steps are taken between two looks at the clock; a power of two. */
  private static final int STEPS = 256;

  private static final int ASKED_BYTES_MIN = 64 << 10;

  private static final ThreadLocal<Allowance> CURRENT = ThreadLocal.withInitial(() -> UNLIMITED);

  private final Interruption interruption;
  private final Memory memory;
  private int steps;
  private Runnable pause = () -> {};

  public Allowance(Interruption interruption, Memory memory) {
    this.interruption = interruption;
    this.memory = memory;
  }

  /** Limits time alone. */
  public static Allowance of(Interruption interruption) {
    return new Allowance(interruption, NO_LIMIT);
  }

  /** That of the work which this thread does. */
  public static Allowance current() {
    return CURRENT.get();
  }

  /** Does work under this allowance; what the thread was bound to before holds again after it. */
  public <T> T grant(Supplier<T> work) {
    Allowance before = CURRENT.get();
    CURRENT.set(this);
    try {
      return work.get();
    } finally {
      CURRENT.set(before);
    }
  }

  /** The same for work without a result. */
  public void run(Runnable work) {
    Allowance before = CURRENT.get();
    CURRENT.set(this);
    try {
      work.run();
    } finally {
      CURRENT.set(before);
    }
  }

  /** Whose work it is. */
  public Object owner() {
    return interruption.owner();
  }

  /**
   * Lets the work give way to other work, now and then, by waiting in there for a little; to be
   * called before it begins.
   */
  public void pauseBy(Runnable newPause) {
    pause = newPause;
  }

  private void look() {
    interruption.check();
    pause.run();
  }

  /** Counts one round of a loop; throws when the work must end. */
  public void step() {
    if ((++steps & (STEPS - 1)) == 0) { // of several threads any may lose a count
      look();
    }
  }

  /** Counts as many rounds; for what goes through a value without a loop of ours. */
  public void steps(long count) {
    int before = steps;
    steps = (int) (before + Math.min(count, STEPS));
    if (((before ^ steps) & -STEPS) != 0) { // went past a multiple
      look();
    }
  }

  /** An order in which every comparison counts, for the sorting of many values. */
  public <T> Comparator<T> watch(Comparator<T> order) {
    return (left, right) -> {
      step();
      return order.compare(left, right);
    };
  }

  /** Throws when the work must end, looking at once: for what takes long between two calls. */
  public void check() {
    interruption.check();
  }

  /** Takes memory out of the budget; throws when there is not so much. */
  public void hold(long bytes) {
    memory.hold(bytes);
  }

  /** Takes memory as soon as there is so much; for a large value that has to be there. */
  public void await(long bytes) {
    memory.await(bytes, this::look);
  }

  /**
   * Takes memory for what is kept as long as the request lasts and can be done without; false when
   * there is not so much, or nothing shall be kept. What is small is not asked for.
   */
  public boolean tryKeep(long bytes) {
    return isSmall(bytes) || memory.tryHold(bytes);
  }

  /** Whether a value of so many bytes is not counted. */
  public static boolean isSmall(long bytes) {
    return bytes < ASKED_BYTES_MIN;
  }

  /**
   * For the making of something that outlives the request, such as a validator: whatever takes
   * memory and can be done without is not kept.
   */
  public Allowance forLasting() {
    return new Allowance(interruption, new Lasting(memory));
  }

  private record Lasting(Memory request) implements Memory {
    @Override
    public void hold(long bytes) {
      request.hold(bytes);
    }

    @Override
    public boolean tryHold(long bytes) {
      return false; // nobody would ever give it back
    }

    @Override
    public void await(long bytes, Runnable check) {
      request.await(bytes, check);
    }

    @Override
    public void release(long bytes) {
      request.release(bytes);
    }
  }

  /**
   * Throws unless there is memory for a value of so many bytes, which nobody keeps for long. What
   * is small is not asked for.
   */
  public void fit(long bytes) {
    if (!isSmall(bytes)) {
      memory.hold(bytes);
      memory.release(bytes);
    }
  }

  public void release(long bytes) {
    memory.release(bytes);
  }
}
