package dev.orrery.storage.postgres;

import dev.orrery.storage.NoHooks;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.StorageRefusalContract;
import java.nio.file.Path;

final class PostgresRefusalTest extends StorageRefusalContract {
  private final String schema = TestPostgres.freshSchema();

  @Override
  protected StorageEngine open(Path directory) {
    return PostgresEngine.open(TestPostgres.running().options(schema), new NoHooks());
  }
}
