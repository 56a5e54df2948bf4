package dev.orrery.server.command.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.language.limit.MemoryAccount;
import dev.orrery.language.limit.MemoryBudget;
import dev.orrery.server.command.DataFixture;
import dev.orrery.server.cursor.SpillDirectory;
import dev.orrery.server.plan.Execution;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** There is room for a large document before it is read, as much as the largest takes. */
class LargeDocumentsTest {
  private static final int MEGABYTE = 1 << 20;

  @TempDir private Path directory;

  @Test
  void theLargestDocumentIsHeldUntilTheCursorRests() {
    MemoryAccount account = new MemoryBudget(64 * MEGABYTE).open();
    Execution execution = new Execution(new SpillDirectory(directory), true).holding(account);
    execution.meter().beforeLarge().accept(3 * MEGABYTE);
    execution.meter().beforeLarge().accept(MEGABYTE);
    execution.meter().beforeLarge().accept(5 * MEGABYTE);
    assertThat(account.heldBytes()).isEqualTo(5 * MEGABYTE);
    account.rest();
    assertThat(account.heldBytes()).isZero();
    account.wake();
    execution.meter().beforeLarge().accept(2 * MEGABYTE);
    assertThat(account.heldBytes()).isEqualTo(2 * MEGABYTE);
    account.close();
  }

  @Test
  @Tag("embedded") // where documents are not in memory before they are read
  void aScanOverLargeDocumentsHoldsOneOfThem() {
    var budget = new MemoryBudget(40 * MEGABYTE);
    try (var server = new DataFixture(directory, budget)) {
      for (int id = 0; id < 5; id++) {
        server.run(
            "{insert: 'c', documents: [{_id: %d, t: '%s'}]}"
                .formatted(id, "t".repeat(4 * MEGABYTE)));
      }
      long before = budget.mostBytes();
      server.run("{count: 'c', query: {t: 'none'}}");
      assertThat(budget.mostBytes()).isBetween(4L * MEGABYTE, Math.max(before, 9L * MEGABYTE));
      assertThat(budget.usedBytes()).isZero();
    }
  }
}
