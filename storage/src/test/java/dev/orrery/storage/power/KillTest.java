package dev.orrery.storage.power;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.NoHooks;
import dev.orrery.storage.engine.ChronicleEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Kills the process, or cuts the power, before file operation N of everything that rewrites
 * structures, while a client writes; then compares what a restart makes of the files with what was
 * acknowledged, structure by structure.
 *
 * <p>{@code -Dkill.every=true} takes every N instead of some, {@code -Dkill.seed=...} other writes.
 */
final class KillTest {
  private static final boolean IS_EVERY = Boolean.getBoolean("kill.every");
  private static final long SEED = Long.getLong("kill.seed", 1);

  /** In the short form about so many kills of each kind of work. */
  private static final int KILLS = Integer.getInteger("kill.count", 6);

  @TempDir static Path shared;
  private static KillStore base;

  @TempDir Path root;

  @BeforeAll
  static void makeStore() {
    base = new KillStore(shared, SEED, false);
  }

  @AfterAll
  static void closeStore() {
    base.close();
  }

  @ParameterizedTest
  @EnumSource
  void aKilledProcessLosesNothing(KillScenario scenario) throws IOException {
    run(scenario, false);
  }

  @ParameterizedTest
  @EnumSource
  void aPowerCutLosesNothing(KillScenario scenario) throws IOException {
    run(scenario, true);
  }

  private void run(KillScenario scenario, boolean isPowerCut) throws IOException {
    int stride = 1;
    if (!IS_EVERY) {
      try (var rehearsal = new KillStore(base, root.resolve("rehearsal"), SEED, false)) {
        stride = Math.max(1, rehearsal.operations(scenario) / KILLS);
      }
    }
    try (var store = new KillStore(base, root.resolve("live"), SEED, isPowerCut)) {
      int kills = store.run(scenario, stride, (kill, copy) -> check(scenario, kill, copy));
      assertThat(kills).isGreaterThan(2);
    }
  }

  private static void check(KillScenario scenario, KillStore.Kill kill, Path copy) {
    for (int start = 0; start < 2; start++) { // what the first one made must be right for the next
      try (var engine = ChronicleEngine.open(copy, KillStore.options(false), new NoHooks())) {
        CollectionStore found = engine.find(KillStore.NAMESPACE);
        if (found != null || !scenario.mayDrop()) {
          assertThat(found).isNotNull();
          new StoreComparison(engine, found, kill.expected()).run();
        }
        assertThat(engine.rebuilt()).isEmpty(); // a kill is no damage
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError(scenario + ", start " + start + " after " + kill, e);
      }
    }
    delete(copy);
  }

  static void delete(Path directory) {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path one : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(one);
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
