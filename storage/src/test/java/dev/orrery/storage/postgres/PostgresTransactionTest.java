package dev.orrery.storage.postgres;

import dev.orrery.storage.NoHooks;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.TransactionContract;
import java.nio.file.Path;

final class PostgresTransactionTest extends TransactionContract {
  private final String schema = TestPostgres.freshSchema();

  @Override
  protected StorageEngine open(Path directory) {
    return PostgresEngine.open(TestPostgres.running().options(schema), new NoHooks());
  }
}
