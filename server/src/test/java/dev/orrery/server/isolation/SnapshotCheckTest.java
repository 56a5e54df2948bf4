package dev.orrery.server.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.isolation.History.End;
import dev.orrery.server.isolation.History.Ended;
import dev.orrery.server.isolation.History.Step;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The check finds each anomaly in a history made for it, and allows what is allowed. */
class SnapshotCheckTest {
  private static final int X = 1;
  private static final int Y = 2;

  private final History history = new History();
  private int clients;

  private void committed(Step... steps) {
    ended(End.COMMITTED, steps);
  }

  private void ended(End end, Step... steps) {
    history.add(new Ended(clients++, end, List.of(steps)));
  }

  private static Step read(int key, Integer... seen) {
    return Step.read(key, List.of(seen));
  }

  private static Step append(int key, int number) {
    return Step.append(key, number);
  }

  private void requireFound(String anomaly) {
    assertThat(SnapshotCheck.anomalies(history)).anyMatch(one -> one.startsWith(anomaly));
  }

  @Test
  void oneAfterTheOtherIsFine() {
    committed(append(X, 1), append(Y, 2));
    committed(read(X, 1), append(X, 3), read(X, 1, 3), append(Y, 4));
    committed(read(X, 1, 3), read(Y, 2, 4));
    assertThat(SnapshotCheck.anomalies(history)).isEmpty();
  }

  @Test
  void writeSkewIsAllowed() {
    committed(read(X), read(Y), append(X, 1));
    committed(read(X), read(Y), append(Y, 2));
    committed(read(X, 1), read(Y, 2));
    assertThat(SnapshotCheck.anomalies(history)).isEmpty();
  }

  @Test
  void aReaderOfAnOlderSnapshotIsAllowed() {
    committed(append(X, 1));
    committed(read(X, 1), append(X, 2));
    committed(read(X, 1));
    committed(read(X, 1, 2));
    assertThat(SnapshotCheck.anomalies(history)).isEmpty();
  }

  @Test
  void writesThatCrossAreFound() {
    committed(append(X, 1), append(Y, 2));
    committed(append(X, 3), append(Y, 4));
    committed(read(X, 1, 3), read(Y, 4, 2));
    requireFound("G0");
  }

  @Test
  void anAbortedReadIsFound() {
    ended(End.ABORTED, append(X, 1));
    committed(read(X, 1));
    requireFound("G1a");
  }

  @Test
  void anIntermediateReadIsFound() {
    committed(append(X, 1), append(X, 2));
    committed(read(X, 1));
    committed(read(X, 1, 2));
    requireFound("G1b");
  }

  @Test
  void whoReadsFromEachOtherIsFound() {
    committed(append(X, 1), read(Y, 2));
    committed(append(Y, 2), read(X, 1));
    requireFound("G1c");
  }

  @Test
  void readSkewIsFound() {
    committed(append(X, 1), append(Y, 2));
    committed(read(X), read(Y, 2));
    committed(read(X, 1), read(Y, 2));
    requireFound("G-single");
  }

  @Test
  void aLostUpdateIsFound() {
    committed(read(X), append(X, 1));
    committed(read(X), append(X, 2));
    committed(read(X, 1, 2));
    requireFound("G-single");
  }

  /** Two readers who see two writes in another order (long fork). */
  @Test
  void aLongForkIsFound() {
    committed(append(X, 1));
    committed(append(Y, 2));
    committed(read(X, 1), read(Y));
    committed(read(X), read(Y, 2));
    committed(read(X, 1), read(Y, 2));
    requireFound("G-nonadjacent");
  }

  @Test
  void aLostWriteIsFoundAndAnUnknownOneMayBeThereOrNot() {
    committed(append(X, 1));
    committed(read(X));
    requireFound("lost");
    var other = new History();
    other.add(new Ended(0, End.UNKNOWN, List.of(append(X, 1))));
    other.add(new Ended(1, End.UNKNOWN, List.of(append(X, 2))));
    other.add(new Ended(2, End.COMMITTED, List.of(read(X, 2))));
    assertThat(SnapshotCheck.anomalies(other)).isEmpty();
  }

  @Test
  void whatATransactionSawIsOneVersionAndItsOwn() {
    committed(append(X, 1));
    committed(read(X), read(X, 1));
    requireFound("unrepeatable read");
    committed(append(X, 2), read(X, 1));
    requireFound("own write not seen");
  }

  @Test
  void aClientSeesWhatItDidBefore() {
    history.add(new Ended(7, End.COMMITTED, List.of(append(X, 1))));
    history.add(new Ended(7, End.COMMITTED, List.of(read(X))));
    history.add(new Ended(8, End.COMMITTED, List.of(read(X, 1))));
    requireFound("G-single");
  }
}
