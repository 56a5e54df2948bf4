package dev.orrery.storage.index;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Numbers in pages that are read without a lock: whoever reads one sees what was written before it.
 *
 * <p>Pages that found no direct memory are on the heap, where JDK 22 and later refuse ordered
 * access to buffers. There fences give the order, and a number at a multiple of its size is read
 * and written as a whole as well.
 */
final class OrderedAccess {
  private static final VarHandle LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private OrderedAccess() {}

  static long longAt(ByteBuffer buffer, int at) {
    if (buffer.isDirect()) {
      return (long) LONG.getAcquire(buffer, at);
    }
    long value = buffer.getLong(at);
    VarHandle.acquireFence();
    return value;
  }

  static int intAt(ByteBuffer buffer, int at) {
    if (buffer.isDirect()) {
      return (int) INT.getAcquire(buffer, at);
    }
    int value = buffer.getInt(at);
    VarHandle.acquireFence();
    return value;
  }

  static void putLong(ByteBuffer buffer, int at, long value) {
    if (buffer.isDirect()) {
      LONG.setRelease(buffer, at, value);
    } else {
      VarHandle.releaseFence();
      buffer.putLong(at, value);
    }
  }

  static void putInt(ByteBuffer buffer, int at, int value) {
    if (buffer.isDirect()) {
      INT.setRelease(buffer, at, value);
    } else {
      VarHandle.releaseFence();
      buffer.putInt(at, value);
    }
  }
}
