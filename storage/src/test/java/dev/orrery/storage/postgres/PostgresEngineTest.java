package dev.orrery.storage.postgres;

import dev.orrery.storage.NoHooks;
import dev.orrery.storage.StorageContract;
import dev.orrery.storage.StorageEngine;
import java.nio.file.Path;

final class PostgresEngineTest extends StorageContract {
  private final String schema = TestPostgres.freshSchema();

  @Override
  protected StorageEngine open(Path directory) {
    return PostgresEngine.open(TestPostgres.running().options(schema), new NoHooks());
  }
}
