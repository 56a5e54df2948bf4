package dev.orrery.storage.log;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import net.openhft.chronicle.core.cleaner.CleanerServiceLocator;

/**
 * A file's bytes as memory, counted: it is unmapped when its owner and every reader have released
 * it. A deleted file gives its disk space back only then.
 */
final class Mapping {

  private final MappedByteBuffer buffer;
  private final AtomicInteger holders = new AtomicInteger(1);

  Mapping(MappedByteBuffer buffer) {
    this.buffer = buffer;
    buffer.order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Returns false if the mapping is gone; else the caller must {@link #release} it. */
  boolean acquire() {
    int held = holders.get();
    while (held > 0) {
      if (holders.compareAndSet(held, held + 1)) {
        return true;
      }
      held = holders.get();
    }
    return false;
  }

  void release() {
    if (holders.decrementAndGet() == 0) {
      CleanerServiceLocator.cleanerService().clean(buffer);
    }
  }

  /** Only for absolute reads, and only between {@link #acquire} and {@link #release}. */
  ByteBuffer bytes() {
    return buffer;
  }
}
