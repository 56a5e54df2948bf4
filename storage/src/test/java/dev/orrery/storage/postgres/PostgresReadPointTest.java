package dev.orrery.storage.postgres;

import dev.orrery.storage.NoHooks;
import dev.orrery.storage.ReadPointContract;
import dev.orrery.storage.StorageEngine;
import java.nio.file.Path;

final class PostgresReadPointTest extends ReadPointContract {
  private final String schema = TestPostgres.freshSchema();

  @Override
  protected StorageEngine open(Path directory) {
    return PostgresEngine.open(TestPostgres.running().options(schema), new NoHooks());
  }
}
