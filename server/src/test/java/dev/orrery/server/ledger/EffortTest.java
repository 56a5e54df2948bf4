package dev.orrery.server.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class EffortTest {
  private static final Effort BEFORE = new Effort("IXSCAN { a: 1 }", 5, 5, 500, 1, 1);

  @Test
  void theReasonIsWhatChangedMost() {
    assertThat(new Effort("COLLSCAN", 0, 90, 9000, 4, 1).whyMoreThan(BEFORE))
        .isEqualTo(
            "it reads the whole collection, where it used IXSCAN { a: 1 }: an index is lost");
    assertThat(new Effort("COLLSCAN", 0, 9, 9, 1, 1).whyMoreThan(new Effort("", 0, 0, 0, 1, 1)))
        .contains("where it used the primary key");
    assertThat(new Effort("IXSCAN { a: 1 }", 9, 9, 900, 4, 1).whyMoreThan(BEFORE))
        .startsWith("it asks 4 partitions instead of 1: ");
    assertThat(new Effort("IXSCAN { b: 1 }", 5, 5, 500, 1, 1).whyMoreThan(BEFORE))
        .isEqualTo("it runs by IXSCAN { b: 1 } instead of IXSCAN { a: 1 }");
    assertThat(new Effort("IXSCAN { a: 1 }", 5, 5, 500, 1, 3).whyMoreThan(BEFORE))
        .isEqualTo("it has 3 statements instead of 1");
    assertThat(new Effort("IXSCAN { a: 1 }", 7, 6, 900, 1, 1).whyMoreThan(BEFORE))
        .isEqualTo("it looks at 6 documents and 7 index entries instead of 5 and 5");
    assertThat(new Effort("IXSCAN { a: 1 }", 5, 5, 900, 1, 1).whyMoreThan(BEFORE))
        .isEqualTo("its documents are larger: 900 bytes instead of 500");
    assertThat(BEFORE.whyMoreThan(BEFORE))
        .isEqualTo("larger documents, or more index entries for each");
  }

  @Test
  void aFileKeepsIt() {
    assertThat(Effort.parse(BEFORE.toBson())).isEqualTo(BEFORE);
    var insert = new Effort("", 0, 0, 0, 2, 7);
    assertThat(Effort.parse(insert.toBson())).isEqualTo(insert);
  }

  @Test
  void onlyAScanThatIsNewIsALostIndex() {
    var scan = new Effort("COLLSCAN", 0, 5, 500, 1, 1);
    assertThat(scan.hasLostIndex(BEFORE)).isTrue();
    assertThat(scan.hasLostIndex(scan)).isFalse();
    assertThat(BEFORE.hasLostIndex(scan)).isFalse();
  }
}
