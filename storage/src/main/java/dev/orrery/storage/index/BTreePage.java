package dev.orrery.storage.index;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A movable view of one tree page.
 *
 * <pre>
 * 0 kind (1)   1 unused (1)   2 entries (2)   4 lowest cell (2)   6 dead cell bytes (2)
 * 8 prefix length (2)   10 unused (2)   12 left (4)   16 right (4)   20 prefix
 * then one offset (2) for each entry in key order, free space, and cells up to the page's end
 * </pre>
 *
 * <p>In a leaf, left and right are its neighbours. In an inner page left is the child before the
 * first entry. A cell: [inner: child (4)], twice the suffix length plus 1 if the key goes on in
 * overflow pages (1 byte below 128, else 2), the key's bytes after the page's prefix, [overflow:
 * first page (4), length of the whole key (4)], record id + 1 in 1 to 9 bytes.
 */
final class BTreePage {
  static final int LEAF = 1;
  static final int INNER = 2;
  static final int OVERFLOW = 3;

  /** Bytes of a page for prefix, offsets and cells. */
  static final int CAPACITY = PageFile.LIMIT - 20;

  /**
   * How much of a key stays in the page; the rest of a longer one overflows. Long and short keys
   * must agree on this: a page's prefix is then never longer than what any of its cells holds.
   */
  static final int INLINE_KEY_MAX = CAPACITY / 8 - 32;

  private static final int PREFIX_AT = 20;
  private static final int SHORT_COPY_MAX = 64;
  private static final int LONG_RUN = 12;
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);

  private final PageFile file;
  private final BTreeOverflow overflow;
  private ByteBuffer buffer;
  private int base;
  private int page;
  private int prefix; // its length
  private int slotsAt;
  private int childBytes; // at the start of each cell: 4 in an inner page

  // The cell last visited by cell(), and whether the last search met its entry.
  private int suffixAt;
  private int suffixLength;
  private boolean isOverflow;
  private boolean isExact;

  BTreePage(PageFile file, BTreeOverflow overflow) {
    this.file = file;
    this.overflow = overflow;
  }

  BTreePage read(int number) {
    bind(number, file.locate(number));
    return this;
  }

  BTreePage write(int number) {
    bind(number, file.locateForWrite(number));
    return this;
  }

  private void bind(int number, int location) {
    page = number;
    buffer = file.buffer(number, location);
    base = PageFile.offset(number, location);
    readLayout();
  }

  private void readLayout() {
    prefix = buffer.getShort(base + 8);
    slotsAt = base + PREFIX_AT + prefix;
    childBytes = buffer.get(base) == INNER ? Integer.BYTES : 0;
  }

  /** Makes this an empty page. */
  void format(int kind, int left, int right) {
    buffer.putLong(base, 0).putLong(base + 8, 0);
    buffer.put(base, (byte) kind);
    buffer.putShort(base + 4, (short) PageFile.LIMIT);
    buffer.putInt(base + 12, left).putInt(base + 16, right);
    readLayout();
  }

  int number() {
    return page;
  }

  boolean isLeaf() {
    int kind = buffer.get(base);
    if (kind != LEAF && kind != INNER) {
      throw PageFileImage.corrupt(
          file.path(), (long) page << PageFile.PAGE_SHIFT, "not a tree page: kind " + kind);
    }
    return kind == LEAF;
  }

  int count() {
    return buffer.getShort(base + 2);
  }

  int left() {
    return buffer.getInt(base + 12);
  }

  void left(int number) {
    buffer.putInt(base + 12, number);
  }

  int right() {
    return buffer.getInt(base + 16);
  }

  void right(int number) {
    buffer.putInt(base + 16, number);
  }

  /** Bytes in use for prefix, offsets and live cells. */
  int usedBytes() {
    int cells = PageFile.LIMIT - buffer.getShort(base + 4) - buffer.getShort(base + 6);
    return prefix + 2 * count() + cells;
  }

  /** Child number {@code index} of an inner page, counted from 0 to {@link #count()}. */
  int child(int index) {
    return index == 0 ? left() : buffer.getInt(base + slot(index - 1));
  }

  boolean isExact() {
    return isExact;
  }

  /**
   * The first entry that is not before (key, id); tells by {@link #isExact} whether it is equal.
   */
  int lowerBound(byte[] key, long id) {
    isExact = false;
    int count = count();
    int order = compareBytes(base + PREFIX_AT, prefix, key, 0);
    if (order != 0) {
      return order > 0 ? 0 : count;
    }
    if (key.length < prefix) {
      return 0;
    }
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      int comparison = compareEntry(middle, key, prefix, id);
      if (comparison == 0) {
        isExact = true;
        return middle;
      }
      if (comparison < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Whether (key, id) lies between entries of this leaf, or behind the last of all. */
  boolean encloses(byte[] key, long id) {
    int count = count();
    if (count == 0 || key.length < prefix || compareBytes(base + PREFIX_AT, prefix, key, 0) != 0) {
      return false;
    }
    return compareEntry(0, key, prefix, id) < 0
        && (right() == 0 || compareEntry(count - 1, key, prefix, id) > 0);
  }

  /** Which child of an inner page holds the first entry that is not before (key, id). */
  int childIndex(byte[] key, long id) {
    int index = lowerBound(key, id);
    return isExact ? index + 1 : index;
  }

  /** Compares an entry with (key, id); the key is known to start with the page's prefix. */
  private int compareEntry(int index, byte[] key, int from, long id) {
    cell(index);
    int rest = key.length - from;
    int common = Math.min(suffixLength, rest);
    int order = compareBytes(suffixAt, common, key, from);
    if (order != 0) {
      return order;
    }
    if (!isOverflow) {
      if (suffixLength != rest) {
        return suffixLength - rest;
      }
    } else if (rest <= suffixLength) {
      return 1;
    } else {
      int more = overflow.compare(overflowPage(), overflowLength(), key, from + suffixLength);
      if (more != 0) {
        return more;
      }
    }
    return Long.compare(id(), id);
  }

  /** Compares bytes of the page with as many of the key, or as many as it has. */
  private int compareBytes(int at, int length, byte[] key, int from) {
    int common = Math.min(length, key.length - from);
    int i = 0;
    for (; i + Long.BYTES <= common; i += Long.BYTES) {
      long mine = buffer.getLong(at + i);
      long other = (long) LONG.get(key, from + i);
      if (mine != other) {
        return Long.compareUnsigned(mine, other);
      }
    }
    for (; i < common; i++) {
      int difference = (buffer.get(at + i) & 0xff) - (key[from + i] & 0xff);
      if (difference != 0) {
        return difference;
      }
    }
    return 0;
  }

  private int slot(int index) {
    return buffer.getShort(slotsAt + 2 * index);
  }

  /** Goes to a cell; the accessors below then describe it. */
  void cell(int index) {
    int at = base + slot(index) + childBytes;
    int head = buffer.get(at++);
    if (head < 0) {
      head = (head & 0x7f) << 8 | buffer.get(at++) & 0xff;
    }
    suffixAt = at;
    suffixLength = head >>> 1;
    isOverflow = (head & 1) != 0;
  }

  int overflowPage() {
    return isOverflow ? buffer.getInt(suffixAt + suffixLength) : 0;
  }

  /** The length of the whole key; only of an overflowing cell. */
  int overflowLength() {
    return buffer.getInt(suffixAt + suffixLength + Integer.BYTES);
  }

  /** The part of the key that is in the page. */
  int inlineLength() {
    return prefix + suffixLength;
  }

  int keyLength() {
    return isOverflow ? overflowLength() : inlineLength();
  }

  void copyInline(byte[] target, int at) {
    copyBytes(base + PREFIX_AT, prefix, target, at);
    copyBytes(suffixAt, suffixLength, target, at + prefix);
  }

  /** Most keys are so short that the buffer's own bulk copy would cost more than the bytes. */
  private void copyBytes(int from, int length, byte[] target, int at) {
    if (length > SHORT_COPY_MAX) {
      buffer.get(from, target, at, length);
    } else if (length >= Long.BYTES) {
      int last = length - Long.BYTES;
      for (int i = 0; i < last; i += Long.BYTES) {
        LONG.set(target, at + i, buffer.getLong(from + i));
      }
      LONG.set(target, at + last, buffer.getLong(from + last));
    } else {
      for (int i = 0; i < length; i++) {
        target[at + i] = buffer.get(from + i);
      }
    }
  }

  /** Copies {@code count} entries from a slot on, upward (step 1) or downward (step -1). */
  void copyEntries(BTreeBatch batch, int slot, int step, int count) {
    if (count >= LONG_RUN) {
      copyRun(batch, slot, step, count);
    } else if (batch.hasKeys) {
      for (int i = 0, index = slot; i < count; i++, index += step) {
        copyEntry(batch, index);
      }
    } else {
      for (int i = 0, index = slot; i < count; i++, index += step) {
        cell(index);
        batch.addId(id());
      }
    }
    if (!batch.hasKeys) {
      cell(slot + step * (count - 1));
      copyKey(batch, batch.addLastKey(keyLength()));
    }
  }

  private void copyEntry(BTreeBatch batch, int index) {
    cell(index);
    copyKey(batch, batch.add(id(), keyLength()));
  }

  /**
   * Cells lie in the order in which they came, so reading many of them jumps about the page. One
   * copy of the page runs straight through it, and an array is cheaper to pick apart.
   */
  private void copyRun(BTreeBatch batch, int slot, int step, int count) {
    byte[] bytes = batch.page();
    buffer.get(base, bytes, 0, PageFile.LIMIT);
    int slots = slotsAt - base;
    for (int i = 0, index = slot; i < count; i++, index += step) {
      int at = (short) SHORT.get(bytes, slots + 2 * index) + childBytes;
      int head = bytes[at++];
      if (head < 0) {
        head = (head & 0x7f) << 8 | bytes[at++] & 0xff;
      }
      int suffix = head >>> 1;
      if ((head & 1) != 0) {
        addOverflowing(batch, index);
      } else if (batch.hasKeys) {
        int start = batch.add(readVarint(bytes, at + suffix) - 1, prefix + suffix);
        System.arraycopy(bytes, PREFIX_AT, batch.keys, start, prefix);
        System.arraycopy(bytes, at, batch.keys, start + prefix, suffix);
      } else {
        batch.addId(readVarint(bytes, at + suffix) - 1);
      }
    }
  }

  private void addOverflowing(BTreeBatch batch, int index) {
    if (batch.hasKeys) {
      copyEntry(batch, index);
    } else {
      cell(index);
      batch.addId(id());
    }
  }

  private void copyKey(BTreeBatch batch, int at) {
    copyInline(batch.keys, at);
    if (isOverflow) {
      overflow.read(overflowPage(), batch.keys, at + inlineLength(), at + overflowLength());
    }
  }

  long id() {
    return readVarint(suffixAt + suffixLength + (isOverflow ? 2 * Integer.BYTES : 0)) - 1;
  }

  /** Makes room for an entry; false if prefix or free space do not allow it without a rebuild. */
  boolean insert(int index, BTreeEntry entry) {
    if (!entry.startsWith(buffer, base + PREFIX_AT, prefix)) {
      return false;
    }
    boolean isInner = childBytes > 0;
    int size = entry.cellBytes(prefix, isInner);
    int slots = slotsAt;
    int count = count();
    int lowest = buffer.getShort(base + 4);
    if (base + lowest - size < slots + 2 * (count + 1)) {
      return false;
    }
    buffer.put(slots + 2 * index + 2, buffer, slots + 2 * index, 2 * (count - index));
    buffer.putShort(slots + 2 * index, (short) (lowest - size));
    buffer.putShort(base + 2, (short) (count + 1));
    buffer.putShort(base + 4, (short) (lowest - size));
    entry.writeCell(buffer, base + lowest - size, prefix, isInner);
    return true;
  }

  void remove(int index) {
    cell(index);
    int idAt = suffixAt + suffixLength + (isOverflow ? 2 * Integer.BYTES : 0);
    int size = idAt + BTreeEntry.varintBytes(readVarint(idAt)) - (base + slot(index));
    int slots = slotsAt;
    int count = count();
    buffer.put(slots + 2 * index, buffer, slots + 2 * index + 2, 2 * (count - index - 1));
    buffer.putShort(base + 2, (short) (count - 1));
    buffer.putShort(base + 6, (short) (buffer.getShort(base + 6) + size));
  }

  /** Removes an inner page's child together with the separator before (for child 0: after) it. */
  void removeChild(int index) {
    if (index == 0) {
      left(child(1));
    }
    remove(Math.max(index - 1, 0));
  }

  /** Starts a rebuilt page: the kind and the neighbours stay, the entries go. */
  void clear(byte[] prefixSource, int from, int length) {
    buffer.putShort(base + 2, (short) 0);
    buffer.putShort(base + 4, (short) PageFile.LIMIT);
    buffer.putShort(base + 6, (short) 0);
    buffer.putShort(base + 8, (short) length);
    buffer.put(base + PREFIX_AT, prefixSource, from, length);
    readLayout();
  }

  private long readVarint(int at) {
    int first = buffer.get(at);
    if (first >= 0) {
      return first;
    }
    int more = Integer.numberOfLeadingZeros(~(first << 24));
    switch (more) {
      case 1:
        return buffer.getShort(at) & 0x3fff;
      case 2:
        return (first & 0x1f) << 16 | buffer.getShort(at + 1) & 0xffff;
      case 3:
        return buffer.getInt(at) & 0x0fff_ffff;
      default:
        long value = more >= 7 ? 0 : first & (0x7f >> more);
        for (int i = 1; i <= more; i++) {
          value = value << 8 | buffer.get(at + i) & 0xff;
        }
        return value;
    }
  }

  /** As the other, from a copy of the page. */
  private static long readVarint(byte[] bytes, int at) {
    int first = bytes[at];
    if (first >= 0) {
      return first;
    }
    int more = Integer.numberOfLeadingZeros(~(first << 24));
    long value = more >= 7 ? 0 : first & (0x7f >> more);
    for (int i = 1; i <= more; i++) {
      value = value << 8 | bytes[at + i] & 0xff;
    }
    return value;
  }
}
