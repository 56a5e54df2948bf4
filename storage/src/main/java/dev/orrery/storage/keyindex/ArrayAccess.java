package dev.orrery.storage.keyindex;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import net.openhft.chronicle.algo.hashing.LongHashFunction;
import net.openhft.chronicle.bytes.BytesStore;
import net.openhft.chronicle.bytes.RandomDataInput;
import net.openhft.chronicle.bytes.RandomDataOutput;
import net.openhft.chronicle.hash.AbstractData;
import net.openhft.chronicle.hash.Data;
import net.openhft.chronicle.hash.serialization.DataAccess;
import net.openhft.chronicle.wire.WireIn;
import net.openhft.chronicle.wire.WireOut;

/**
 * Shows an array of bytes to a Chronicle Map as it is. Chronicle's own access wraps each array in a
 * buffer that counts its references, and hashes it through an interface: a third of a lookup.
 *
 * <p>The hash is that of Chronicle's access. A map's file names this class, so it keeps its name.
 */
final class ArrayAccess extends AbstractData<byte[]> implements DataAccess<byte[]> {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private transient byte[] array;
  private transient BytesStore<?, ?> wrapped;

  @Override
  public Data<byte[]> getData(byte[] instance) {
    array = instance;
    return this;
  }

  @Override
  public void uninit() {
    array = null;
    wrapped = null;
  }

  @Override
  public DataAccess<byte[]> copy() {
    return new ArrayAccess();
  }

  @Override
  public long hash(LongHashFunction function) {
    return function.hashBytes(array);
  }

  @Override
  public boolean equivalent(RandomDataInput source, long sourceOffset) {
    int i = 0;
    for (; i <= array.length - Long.BYTES; i += Long.BYTES) {
      if (source.readLong(sourceOffset + i) != (long) LONG.get(array, i)) {
        return false;
      }
    }
    for (; i < array.length; i++) {
      if (source.readByte(sourceOffset + i) != array[i]) {
        return false;
      }
    }
    return true;
  }

  @Override
  @SuppressWarnings({"rawtypes", "unchecked"}) // as Chronicle declares it
  public void writeTo(RandomDataOutput target, long targetOffset) {
    target.write(targetOffset, array);
  }

  @Override
  public RandomDataInput bytes() {
    if (wrapped == null) {
      wrapped = BytesStore.wrap(array);
    }
    return wrapped;
  }

  @Override
  public long offset() {
    return bytes().start();
  }

  @Override
  public long size() {
    return array.length;
  }

  @Override
  public byte[] get() {
    return array;
  }

  @Override
  public byte[] getUsing(byte[] using) {
    if (using == null || using.length != array.length) {
      return Arrays.copyOf(array, array.length);
    }
    System.arraycopy(array, 0, using, 0, array.length);
    return using;
  }

  /** It has no settings to be written to the file. */
  @Override
  public void writeMarshallable(WireOut wire) {}

  @Override
  public void readMarshallable(WireIn wire) {}
}
