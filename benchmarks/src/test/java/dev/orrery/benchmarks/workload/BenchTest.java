package dev.orrery.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.benchmarks.report.Results;
import dev.orrery.benchmarks.servers.Fleet;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BenchTest {
  private final Bench bench =
      new Bench(
          new Plan(1, 3, 0.8, List.of(1, 8), false),
          new Fleet.Settings(List.of(), List.of(), Path.of(""), Set.of(), List.of()),
          new Results(),
          System.out);

  @Test
  void roundsOfLongRequestsAreFewer() {
    assertThat(bench.rounds(1, 0.5)).isEqualTo(3);
    assertThat(bench.rounds(1, 20)).isEqualTo(3);
    assertThat(bench.rounds(1, 26)).isEqualTo(2);
    assertThat(bench.rounds(1, 100)).isEqualTo(1);
  }

  @Test
  void whatGoalsAreReadFromHasMoreRounds() {
    assertThat(bench.rounds(8, 0.5)).isEqualTo(9);
    assertThat(bench.rounds(8, 26)).isEqualTo(2);
  }

  @Test
  void pipelinesAreNamedWithWhatTheyRead() {
    assertThat(Queries.aggregations().steady("$sort + $limit", 1_000_000).variant())
        .isEqualTo("$sort + $limit on 1,000,000 documents");
    assertThat(Queries.finds().steady("sort and limit 10", 1_000).variant())
        .isEqualTo("sort and limit 10");
  }
}
