package dev.orrery.storage.unkind;

import dev.orrery.storage.NoHooks;
import dev.orrery.storage.StorageContract;
import dev.orrery.storage.StorageEngine;
import java.nio.file.Path;
import java.time.Clock;

final class UnkindEngineTest extends StorageContract {
  private final UnkindWorld world =
      new UnkindWorld(new NoHooks(), UnkindWorld.Options.KIND, Clock.systemUTC(), 7);

  @Override
  protected StorageEngine open(Path directory) {
    return UnkindEngine.open(world);
  }
}
