package dev.orrery.benchmarks.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.benchmarks.servers.ClassPathOrrery;
import dev.orrery.benchmarks.servers.Fleet;
import dev.orrery.benchmarks.servers.Kind;
import dev.orrery.benchmarks.servers.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A short form of the benchmark, which fails by itself when a search reads more than its words. */
@EnabledOnOs(OS.LINUX) // CPU time is read from /proc
class SearchBenchmarkTest {
  private static final int POINTS = 10_000;
  private static final int SEARCHES = 20;

  @TempDir private Path directory;

  @Test
  void searchesReadTheirPartOfTheIndex() throws Exception {
    var settings =
        new Fleet.Settings(
            ClassPathOrrery.java(), List.of(), directory, Set.of(Kind.ORRERY), List.of());
    try (var fleet = new Fleet(settings)) {
      Target target = fleet.start(Kind.ORRERY);
      var places = new Places(target, POINTS);
      places.load();
      for (boolean isInTown : new boolean[] {false, true}) {
        Explained near = places.near(SEARCHES, isInTown);
        assertThat(near.found()).isEqualTo(SEARCHES * 10);
        assertThat(near.mostKeys()).isLessThan(1_000);
      }
      assertThat(places.circle(2)).isBetween(POINTS / 200L, POINTS / 50L);
      new Words(target, 1_000).run(2);
    }
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left).isEmpty();
    }
  }
}
