package dev.orrery.storage.unkind;

import dev.orrery.storage.NoHooks;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.TransactionContract;
import java.nio.file.Path;
import java.time.Clock;

final class UnkindTransactionTest extends TransactionContract {
  private final UnkindWorld world =
      new UnkindWorld(new NoHooks(), UnkindWorld.Options.UNKIND, Clock.systemUTC(), 7);

  @Override
  protected StorageEngine open(Path directory) {
    return UnkindEngine.open(world);
  }
}
