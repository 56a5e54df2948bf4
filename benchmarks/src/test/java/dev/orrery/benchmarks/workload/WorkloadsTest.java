package dev.orrery.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class WorkloadsTest {
  @Test
  void namesAreUniqueAndChooseInTheOrderOfTheReport() {
    assertThat(Workloads.all()).extracting(Workload::name).doesNotHaveDuplicates();
    assertThat(Workloads.named(List.of("find", "ycsb-c")))
        .extracting(Workload::name)
        .containsExactly("ycsb-c", "find");
    assertThat(Workloads.named(List.of())).hasSameSizeAs(Workloads.all());
  }

  @Test
  void plansScaleAndSort() {
    var plan = new Plan(0.5, 1, 1, List.of(64, 1, 8), false);
    assertThat(plan.documents(10_000)).isEqualTo(5000);
    assertThat(plan.documents(1)).isEqualTo(1000);
    assertThat(plan.connections()).containsExactly(1, 8, 64);
    assertThat(plan.mostConnections()).isEqualTo(64);
    assertThat(plan.rounds(8)).isEqualTo(1);
    assertThat(plan.rounds(64)).isEqualTo(3);
  }
}
