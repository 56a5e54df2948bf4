package dev.orrery.storage.index;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Who reads a number of a page sees what was written before it: in direct memory, on the heap. */
public class OrderedAccessStress {
  private static final int BYTES = 16;

  /** Pages of many runs, each in a place of its own. */
  private static final ByteBuffer SHARED = ByteBuffer.allocateDirect(1 << 22);

  private static final AtomicInteger NEXT = new AtomicInteger();

  /** A number and what it announces, in direct memory. */
  @JCStressTest
  @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "nothing yet")
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "the content before the number")
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "both")
  @Outcome(id = "1, 0", expect = FORBIDDEN, desc = "a number that announces nothing")
  @State
  public static class Direct {
    private final int at = BYTES * Math.floorMod(NEXT.getAndIncrement(), SHARED.capacity() / BYTES);

    public Direct() {
      SHARED.putLong(at, 0).putLong(at + 8, 0);
    }

    @Actor
    public void write() {
      SHARED.putInt(at + 8, 1);
      OrderedAccess.putLong(SHARED, at, 1);
    }

    @Actor
    public void read(II_Result result) {
      result.r1 = (int) OrderedAccess.longAt(SHARED, at);
      result.r2 = SHARED.getInt(at + 8);
    }
  }

  /** The same on the heap, where fences give the order. */
  @JCStressTest
  @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "nothing yet")
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "the content before the number")
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "both")
  @Outcome(id = "1, 0", expect = FORBIDDEN, desc = "a number that announces nothing")
  @State
  public static class Heap {
    private final ByteBuffer page = ByteBuffer.allocate(BYTES);

    @Actor
    public void write() {
      page.putInt(8, 1);
      OrderedAccess.putInt(page, 0, 1);
    }

    @Actor
    public void read(II_Result result) {
      result.r1 = OrderedAccess.intAt(page, 0);
      result.r2 = page.getInt(8);
    }
  }
}
