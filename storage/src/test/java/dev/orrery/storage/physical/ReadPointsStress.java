package dev.orrery.storage.physical;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A commit beside a point that is opened: the point has it, or it knows of the point. */
@JCStressTest
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "the commit knows of the point")
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "the point has the commit")
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "both, which costs a little memory")
@Outcome(id = "0, 0", expect = FORBIDDEN, desc = "what the point sees is taken away for ever")
@State
public class ReadPointsStress {
  private final ReadPoints points = new ReadPoints(StressLog.LOG, Long.MAX_VALUE);
  private long committed;
  private ReadPoints.Point opened;

  @Actor
  public void commit(II_Result result) {
    committed = StressLog.LOG.append(StressLog.group()).lsn();
    result.r1 = points.oldest() < committed ? 1 : 0;
  }

  @Actor
  public void open() {
    opened = points.open();
  }

  @Arbiter
  public void compare(II_Result result) {
    result.r2 = opened.lsn >= committed ? 1 : 0;
  }
}
