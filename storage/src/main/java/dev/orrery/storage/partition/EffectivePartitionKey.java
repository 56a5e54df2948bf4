package dev.orrery.storage.partition;

import dev.orrery.value.BigEndian;
import dev.orrery.value.RawValue;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;

/**
 * The place of a partition key value in the key space: 126 bits, two leading zero bits before them,
 * ordered unsigned. It is Cosmos DB's hash of version 2: MurmurHash3 over the encoded value ({@link
 * PartitionKeyEncoder}), its 16 bytes reversed, the two highest bits cleared.
 */
public record EffectivePartitionKey(long high, long low)
    implements Comparable<EffectivePartitionKey> {
  public static final EffectivePartitionKey MIN = new EffectivePartitionKey(0, 0);
  public static final EffectivePartitionKey MAX = new EffectivePartitionKey(-1L >>> 2, -1L);

  private static final BigInteger MAX_NUMBER =
      BigInteger.ONE.shiftLeft(126).subtract(BigInteger.ONE);

  public EffectivePartitionKey {
    if (high >>> 62 != 0) {
      throw new IllegalArgumentException("beyond the key space: " + Long.toHexString(high));
    }
  }

  /** Of one value; {@code null} is a document without the field. */
  public static EffectivePartitionKey of(RawValue value) {
    return of(Collections.singletonList(value));
  }

  /** Of a key with several components, hashed as one. */
  public static EffectivePartitionKey of(List<RawValue> components) {
    var encoder = new PartitionKeyEncoder();
    components.forEach(encoder::append);
    long[] hash = MurmurHash3.hash(encoder.buffer(), encoder.length());
    return new EffectivePartitionKey(hash[1] & -1L >>> 2, hash[0]);
  }

  /** Where the parts begin when the key space is cut evenly: {@code parts - 1} boundaries. */
  public static List<EffectivePartitionKey> evenBoundaries(int parts) {
    var boundaries = new ArrayList<EffectivePartitionKey>(parts - 1);
    for (int i = 1; i < parts; i++) {
      boundaries.add(boundary(i, parts));
    }
    return boundaries;
  }

  /** Where part {@code index} of {@code parts} even ones begins. */
  public static EffectivePartitionKey boundary(int index, int parts) {
    return of(MAX_NUMBER.multiply(BigInteger.valueOf(index)).divide(BigInteger.valueOf(parts)));
  }

  /** The key halfway between two others, rounded down. */
  public static EffectivePartitionKey middle(
      EffectivePartitionKey left, EffectivePartitionKey right) {
    return of(left.toNumber().add(right.toNumber()).shiftRight(1));
  }

  /** Reads what {@link #toString} writes. */
  public static EffectivePartitionKey parse(String hex) {
    if (hex.length() != 32) {
      throw new IllegalArgumentException("not 32 hexadecimal digits: " + hex);
    }
    return new EffectivePartitionKey(
        HexFormat.fromHexDigitsToLong(hex, 0, 16), HexFormat.fromHexDigitsToLong(hex, 16, 32));
  }

  public static EffectivePartitionKey ofBytes(byte[] bytes, int offset) {
    return new EffectivePartitionKey(
        BigEndian.int64(bytes, offset), BigEndian.int64(bytes, offset + 8));
  }

  private static EffectivePartitionKey of(BigInteger number) {
    return new EffectivePartitionKey(number.shiftRight(64).longValue(), number.longValue());
  }

  private BigInteger toNumber() {
    return new BigInteger(1, toByteArray());
  }

  /** 16 bytes that order, compared unsigned, as the keys do. */
  public byte[] toByteArray() {
    byte[] bytes = new byte[16];
    putTo(bytes, 0);
    return bytes;
  }

  public void putTo(byte[] bytes, int offset) {
    BigEndian.putInt64(bytes, offset, high);
    BigEndian.putInt64(bytes, offset + 8, low);
  }

  @Override
  public int compareTo(EffectivePartitionKey other) {
    int difference = Long.compare(high, other.high);
    return difference != 0 ? difference : Long.compareUnsigned(low, other.low);
  }

  /** 32 upper-case hexadecimal digits; as strings they order as the keys do. */
  @Override
  public String toString() {
    var hex = HexFormat.of().withUpperCase();
    return hex.toHexDigits(high) + hex.toHexDigits(low);
  }
}
