package dev.orrery.storage.index;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import java.nio.file.Path;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * Slots that are read without a lock. All runs share one file, so pages come and go under those who
 * read; it is never saved. What is not listed as an outcome is forbidden.
 */
public class SlotFileStress {
  private static final SlotFile SLOTS =
      SlotFile.open(Path.of("never-saved.slots"), new PageFilePool(), false);

  /** Two records are moved one after the other. */
  @JCStressTest
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "before")
  @Outcome(id = "1, 2", expect = ACCEPTABLE, desc = "between, or from before to after")
  @Outcome(id = "2, 2", expect = ACCEPTABLE, desc = "after")
  @State
  public static class InOrder {
    private final long first = SLOTS.append(1);
    private final long second = SLOTS.append(1);

    @Actor
    public void move() {
      SLOTS.set(first, 2);
      SLOTS.set(second, 2);
    }

    @Actor
    public void read(JJ_Result result) {
      result.r1 = SLOTS.get(second);
      result.r2 = SLOTS.get(first);
    }

    @Arbiter
    public void remove() {
      SLOTS.set(first, 0);
      SLOTS.set(second, 0);
    }
  }

  /** Two who would move the same record: one of them does. */
  @JCStressTest
  @Outcome(id = "1, 0, 2", expect = ACCEPTABLE, desc = "the one")
  @Outcome(id = "0, 1, 3", expect = ACCEPTABLE, desc = "the other")
  @State
  public static class OneMoves {
    private final long id = SLOTS.append(1);

    @Actor
    public void one(JJJ_Result result) {
      result.r1 = SLOTS.replace(id, 1, 2) ? 1 : 0;
    }

    @Actor
    public void other(JJJ_Result result) {
      result.r2 = SLOTS.replace(id, 1, 3) ? 1 : 0;
    }

    @Arbiter
    public void remove(JJJ_Result result) {
      result.r3 = SLOTS.get(id);
      SLOTS.set(id, 0);
    }
  }
}
