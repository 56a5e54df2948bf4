package dev.orrery.lane;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RoundsTest {
  private static final List<Throwable> EVERYTHING =
      List.of(
          new IllegalStateException("a bug"),
          new OutOfMemoryError("a test"),
          new StackOverflowError("a test"),
          new NoClassDefFoundError("a test"),
          new InternalError("a test"));

  /** Throws one thing after the other. */
  private static final class Thrower implements Rounds.Work {
    final List<Throwable> told = new ArrayList<>();
    private int round = -1;
    private final boolean tellsToo;
    private final boolean endsWithErrors;

    Thrower(boolean tellsToo, boolean endsWithErrors) {
      this.tellsToo = tellsToo;
      this.endsWithErrors = endsWithErrors;
    }

    @Override
    public boolean await() {
      return ++round < EVERYTHING.size();
    }

    @Override
    public void run() {
      sneak(EVERYTHING.get(round));
    }

    @Override
    public boolean mayGoOn(Throwable failure) {
      told.add(failure);
      if (tellsToo) {
        throw new OutOfMemoryError("even for a line in the log");
      }
      return !endsWithErrors || Rounds.isPassing(failure);
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable thrown) throws T {
      throw (T) thrown;
    }
  }

  @Test
  void nothingThatARoundThrowsEndsTheThread() {
    var thrower = new Thrower(false, false);
    new Rounds(thrower).run();
    assertThat(thrower.told).isEqualTo(EVERYTHING);
  }

  @Test
  void noMemoryToTellOfItDoesNotEndTheThreadEither() {
    var thrower = new Thrower(true, false);
    new Rounds(thrower).run();
    assertThat(thrower.told).isEqualTo(EVERYTHING);
  }

  @Test
  void anErrorOfTheProgramItselfEndsWhoSaysSo() {
    var thrower = new Thrower(false, true);
    new Rounds(thrower).run();
    assertThat(thrower.told).isEqualTo(EVERYTHING.subList(0, 4));
  }
}
