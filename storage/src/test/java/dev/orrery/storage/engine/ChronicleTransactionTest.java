package dev.orrery.storage.engine;

import dev.orrery.storage.NoHooks;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.TransactionContract;
import dev.orrery.storage.log.LogOptions;
import java.nio.file.Path;

final class ChronicleTransactionTest extends TransactionContract {
  @Override
  protected StorageEngine open(Path directory) {
    var options = EngineOptions.defaults().with(LogOptions.defaults().withFsync(false));
    return ChronicleEngine.open(directory, options, new NoHooks());
  }
}
