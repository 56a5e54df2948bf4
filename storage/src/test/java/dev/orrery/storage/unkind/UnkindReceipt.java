package dev.orrery.storage.unkind;

import dev.orrery.storage.Receipt;
import java.util.concurrent.CompletionStage;

/** Durable as soon as the network says so. */
record UnkindReceipt(UnkindWorld world, long time) implements Receipt {
  @Override
  public CompletionStage<?> whenDurable() {
    return world.ask(() -> null);
  }

  @Override
  public Receipt with(Receipt other) {
    return other == Receipt.NONE || other.time() < time ? this : other;
  }
}
