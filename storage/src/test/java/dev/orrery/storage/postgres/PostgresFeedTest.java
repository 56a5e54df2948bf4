package dev.orrery.storage.postgres;

import dev.orrery.storage.FeedContract;
import dev.orrery.storage.NoHooks;
import dev.orrery.storage.StorageEngine;
import java.nio.file.Path;

final class PostgresFeedTest extends FeedContract {
  private final String schema = TestPostgres.freshSchema();

  @Override
  protected StorageEngine open(Path directory) {
    return PostgresEngine.open(TestPostgres.running().options(schema), new NoHooks());
  }

  /** The rows of a commit have their order within a partition only. */
  @Override
  protected boolean tellsSteps() {
    return false;
  }
}
