package dev.orrery.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class LogScaleTest {
  @Test
  void endsAreRoundAndHoldAllNumbers() {
    var scale = new LogScale(0.3, 37, 0, 100);
    assertThat(scale.ticks()).containsExactly(0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0);
    assertThat(scale.at(0.2)).isCloseTo(0, within(1e-9));
    assertThat(scale.at(50)).isCloseTo(100, within(1e-9));
  }

  @Test
  void equalFactorsAreEqualDistances() {
    var scale = new LogScale(0.1, 10, 0, 100);
    assertThat(scale.at(1) - scale.at(0.1)).isCloseTo(scale.at(10) - scale.at(1), within(1e-9));
  }

  @Test
  void oneNumberAloneHasAPlace() {
    var scale = new LogScale(1, 1, 0, 100);
    assertThat(scale.at(1)).isEqualTo(0);
    assertThat(scale.ticks()).containsExactly(1.0, 2.0);
  }

  @Test
  void wideAxesHavePowersOfTenOnly() {
    assertThat(new LogScale(0.01, 900, 0, 1).ticks())
        .containsExactly(0.01, 0.1, 1.0, 10.0, 100.0, 1000.0);
  }

  @Test
  void labelsAreShort() {
    assertThat(LogScale.label(0.05)).isEqualTo("0.05");
    assertThat(LogScale.label(2000)).isEqualTo("2,000");
  }
}
