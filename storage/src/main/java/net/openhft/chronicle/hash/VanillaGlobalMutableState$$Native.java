package net.openhft.chronicle.hash;

import net.openhft.chronicle.bytes.BytesStore;
import net.openhft.chronicle.values.Copyable;

/**
 * The 25 bytes of state that Chronicle Map keeps once in each file. Chronicle looks for a class of
 * exactly this name and, when there is none, writes and compiles one while the server runs, which
 * takes most of a second and needs a JDK. The layout is that of the class it would write.
 */
@SuppressWarnings({"rawtypes", "unchecked"}) // as the interface of Chronicle has them
public final class VanillaGlobalMutableState$$Native
    implements VanillaGlobalMutableState, Copyable<VanillaGlobalMutableState> {
  private static final int TIER_BULKS = 0; // 3 bytes
  private static final int FREE_TIER = 3; // 5 bytes
  private static final int TIERS_IN_USE = 8; // 5 bytes
  private static final int SEGMENT_HEADERS = 13; // 4 bytes
  private static final int DATA_STORE_SIZE = 17; // 8 bytes
  private static final int SIZE = 25;

  private static final long BITS_24 = (1L << 24) - 1;
  private static final long BITS_32 = (1L << 32) - 1;
  private static final long BITS_40 = (1L << 40) - 1;

  private BytesStore store;
  private long offset;

  @Override
  public int getAllocatedExtraTierBulks() {
    return (int) (store.readInt(offset + TIER_BULKS) & BITS_24);
  }

  @Override
  public void setAllocatedExtraTierBulks(int bulks) {
    int neighbour = store.readInt(offset + TIER_BULKS) & (int) ~BITS_24;
    store.writeInt(offset + TIER_BULKS, neighbour | (int) require(bulks, BITS_24));
  }

  @Override
  public long getFirstFreeTierIndex() {
    return store.readLong(offset + FREE_TIER) & BITS_40;
  }

  @Override
  public void setFirstFreeTierIndex(long index) {
    writeFiveBytes(FREE_TIER, index);
  }

  @Override
  public long getExtraTiersInUse() {
    return store.readLong(offset + TIERS_IN_USE) & BITS_40;
  }

  @Override
  public void setExtraTiersInUse(long tiers) {
    writeFiveBytes(TIERS_IN_USE, tiers);
  }

  @Override
  public long getSegmentHeadersOffset() {
    return store.readInt(offset + SEGMENT_HEADERS) & BITS_32;
  }

  @Override
  public void setSegmentHeadersOffset(long headers) {
    store.writeInt(offset + SEGMENT_HEADERS, (int) require(headers, BITS_32));
  }

  @Override
  public long getDataStoreSize() {
    return store.readLong(offset + DATA_STORE_SIZE);
  }

  @Override
  public void setDataStoreSize(long size) {
    store.writeLong(offset + DATA_STORE_SIZE, require(size, Long.MAX_VALUE));
  }

  @Override
  public long addDataStoreSize(long addition) {
    long size = Math.addExact(getDataStoreSize(), addition);
    setDataStoreSize(size);
    return size;
  }

  @Override
  public void copyFrom(VanillaGlobalMutableState from) {
    setAllocatedExtraTierBulks(from.getAllocatedExtraTierBulks());
    setFirstFreeTierIndex(from.getFirstFreeTierIndex());
    setExtraTiersInUse(from.getExtraTiersInUse());
    setSegmentHeadersOffset(from.getSegmentHeadersOffset());
    setDataStoreSize(from.getDataStoreSize());
  }

  @Override
  public void bytesStore(BytesStore bytes, long at, long length) {
    if (length != SIZE || at + length > bytes.capacity()) {
      throw new IllegalArgumentException("not a place for " + SIZE + " bytes: " + at);
    }
    store = bytes;
    offset = at;
  }

  @Override
  public BytesStore bytesStore() {
    return store;
  }

  @Override
  public long offset() {
    return offset;
  }

  @Override
  public long maxSize() {
    return SIZE;
  }

  private void writeFiveBytes(int at, long value) {
    long neighbour = store.readLong(offset + at) & ~BITS_40;
    store.writeLong(offset + at, neighbour | require(value, BITS_40));
  }

  private static long require(long value, long max) {
    if (value < 0 || value > max) {
      throw new IllegalArgumentException(value + " is not in 0 to " + max);
    }
    return value;
  }
}
