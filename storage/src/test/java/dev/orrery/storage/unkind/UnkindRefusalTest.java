package dev.orrery.storage.unkind;

import dev.orrery.storage.NoHooks;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.StorageRefusalContract;
import java.nio.file.Path;
import java.time.Clock;

final class UnkindRefusalTest extends StorageRefusalContract {
  private final UnkindWorld world =
      new UnkindWorld(new NoHooks(), UnkindWorld.Options.KIND, Clock.systemUTC(), 7);

  @Override
  protected StorageEngine open(Path directory) {
    return UnkindEngine.open(world);
  }
}
