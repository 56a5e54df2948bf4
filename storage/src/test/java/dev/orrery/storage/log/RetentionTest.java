package dev.orrery.storage.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RetentionTest {

  private static final SegmentInfo FIRST = new SegmentInfo(1, 1, 9, 100, 0, 1_000, true);
  private static final SegmentInfo SECOND = new SegmentInfo(2, 10, 19, 100, 1_000, 2_000, true);
  private static final SegmentInfo ACTIVE = new SegmentInfo(3, 20, 29, 50, 2_000, 2_500, false);
  private static final List<SegmentInfo> ALL = List.of(FIRST, SECOND, ACTIVE);

  @Test
  void aSegmentIsAsOldAsItsLastGroup() {
    assertThat(Retention.olderThan(ALL, 1_000)).isEmpty();
    assertThat(Retention.olderThan(ALL, 1_001)).containsExactly(FIRST);
    assertThat(Retention.olderThan(ALL, 9_999)).containsExactly(FIRST, SECOND);
  }

  @Test
  void theOldestSegmentsGoFirst() {
    assertThat(Retention.beyond(ALL, 250)).isEmpty();
    assertThat(Retention.beyond(ALL, 249)).containsExactly(FIRST);
    assertThat(Retention.beyond(ALL, 0)).containsExactly(FIRST, SECOND);
  }
}
