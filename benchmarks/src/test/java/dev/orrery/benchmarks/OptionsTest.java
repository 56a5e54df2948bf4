package dev.orrery.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OptionsTest {
  @Test
  void takesBothFormsAndRepetition() {
    var options =
        Options.parse(List.of("--rounds=2", "--seconds", "0.5", "--target", "a=b", "--target=c=d"));
    assertThat(options.number("rounds", 3)).isEqualTo(2);
    assertThat(options.fraction("seconds", 1)).isEqualTo(0.5);
    assertThat(options.number("scale", 1)).isEqualTo(1);
  }

  @Test
  void repeatedOptionsMakeAList() {
    var options = Options.parse(List.of("--workload", "a", "--workload=b,c"));
    assertThat(options.list("workload", "")).containsExactly("a", "b", "c");
    assertThat(options.list("none", "")).isEmpty();
  }

  @Test
  void refusesWhatIsNoOptionOrNotKnown() {
    assertThatThrownBy(() -> Options.parse(List.of("rounds")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Options.parse(List.of("--rounds")))
        .isInstanceOf(IllegalArgumentException.class);
    var options = Options.parse(List.of("--round=2"));
    assertThatThrownBy(() -> options.requireKnown(Set.of("rounds")))
        .hasMessageContaining("no option --round");
  }
}
