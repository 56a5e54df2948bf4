package dev.orrery.storage.physical;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.orrery.storage.index.PageFilePool;
import dev.orrery.storage.index.SlotFile;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** A commit of two deletions, and who reads both documents beside it. */
public class FlightStress {
  private static final SlotFile SLOTS =
      SlotFile.open(Path.of("never-saved.slots"), new PageFilePool(), false);

  private static final long POSITION = StressLog.LOG.append(StressLog.group()).positions()[0];

  private static final long COMMIT = Long.MAX_VALUE - 1;

  /** Both documents are there, or none is, and none comes back. */
  @JCStressTest
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "before")
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "from before to after")
  @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "after")
  @Outcome(id = "0, 1", expect = FORBIDDEN, desc = "half of the commit")
  @State
  public static class Whole {
    private final Trail trail =
        new Trail(new ReadPoints(StressLog.LOG, Long.MAX_VALUE), new ReentrantLock());

    private final long first = SLOTS.append(POSITION);
    private final long second = SLOTS.append(POSITION);

    @Actor
    public void commit() {
      var flight = new Flight(COMMIT);
      trail.begin(COMMIT, flight);
      SLOTS.set(first, -1);
      SLOTS.set(second, -1);
      flight.land();
    }

    @Actor
    public void read(II_Result result) {
      result.r1 = trail.position(SLOTS, first, StressLog.LOG) == 0 ? 0 : 1;
      result.r2 = trail.position(SLOTS, second, StressLog.LOG) == 0 ? 0 : 1;
    }

    @Arbiter
    public void remove() {
      SLOTS.set(first, 0);
      SLOTS.set(second, 0);
    }
  }

  /** Who has waited sees all that came before the landing. */
  @JCStressTest
  @Outcome(id = "2", expect = ACCEPTABLE, desc = "all of it")
  @State
  public static class Awaited {
    private final Flight flight = new Flight(1);
    private int first;
    private int second;

    @Actor
    public void commit() {
      first = 1;
      second = 1;
      flight.land();
    }

    @Actor
    public void read(I_Result result) {
      flight.await();
      result.r1 = first + second;
    }
  }
}
