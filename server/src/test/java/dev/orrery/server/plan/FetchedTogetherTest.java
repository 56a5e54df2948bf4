package dev.orrery.server.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.store.QueryHooks;
import dev.orrery.storage.unkind.UnkindEngine;
import dev.orrery.storage.unkind.UnkindWorld;
import dev.orrery.value.RawValue;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where each read is a question to another process, many documents are one question. */
class FetchedTogetherTest {
  private static final int DOCUMENTS = 200;
  private static final int QUESTIONS_MAX = 40;

  @TempDir Path directory;
  private final UnkindWorld world =
      new UnkindWorld(new QueryHooks(), UnkindWorld.Options.KIND, Clock.systemUTC(), 7);
  private PlanFixture fixture;

  @BeforeEach
  void open() {
    fixture = new PlanFixture(directory, UnkindEngine.open(world), null, 1);
    fixture.index("a_1_b_1", "{a: 1, b: 1}", "{}");
    for (int i = 0; i < DOCUMENTS; i++) {
      fixture.insert("{_id: %d, a: %d%s}".formatted(i, i, i % 3 == 0 ? ", b: 7" : ""));
    }
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private static List<Integer> numbers(int from, int to) {
    return IntStream.range(from, to).boxed().toList();
  }

  private List<Integer> values(Query query) {
    return fixture.run(query).stream().map(one -> one.field("a")).map(RawValue::asInt32).toList();
  }

  @Test
  void documentsBehindEntriesAreFetchedByTheDozen() {
    long before = world.fetches();
    assertThat(values(fixture.query("{a: {$gte: 20}}"))).isEqualTo(numbers(20, DOCUMENTS));
    assertThat(world.fetches() - before).isBetween(1L, (long) QUESTIONS_MAX);
  }

  /** A null in a key may stand for a field that is missing, which only the document tells. */
  @Test
  void keysThatDoNotTellAllAreLookedUpByTheDozen() {
    Query query = fixture.query("{a: {$gte: 20}}").with(Query.Output.having(Set.of("a", "b")));
    assertThat(PlanFixture.stages(fixture.plan(query))).startsWith("PROJECTION_COVERED");
    long before = world.fetches();
    assertThat(values(query)).isEqualTo(numbers(20, DOCUMENTS));
    assertThat(world.fetches() - before).isBetween(1L, (long) QUESTIONS_MAX);
  }

  @Test
  void whatIsCoveredIsNotLookedUp() {
    Query query =
        fixture.query("{a: {$gte: 20}, b: 7}").with(Query.Output.having(Set.of("a", "b")));
    long before = world.fetches();
    assertThat(values(query)).hasSize(60).isSorted();
    assertThat(world.fetches()).isEqualTo(before);
  }
}
