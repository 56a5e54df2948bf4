package dev.orrery.wire;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Numbers in an array, least significant byte first. */
final class LittleEndian {
  private static final VarHandle INT32 =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT64 =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private LittleEndian() {}

  static int int32(byte[] bytes, int at) {
    return (int) INT32.get(bytes, at);
  }

  static void putInt32(byte[] bytes, int at, int value) {
    INT32.set(bytes, at, value);
  }

  static long int64(byte[] bytes, int at) {
    return (long) INT64.get(bytes, at);
  }
}
