package dev.orrery.storage.index;

import java.util.Arrays;

/**
 * The entries of one or two pages taken apart, so that they can be laid out anew: with another
 * prefix, without gaps, or over two pages. A scratch area that each tree keeps for its writer.
 */
final class BTreeCells {
  private byte[] bytes = new byte[2 * PageFile.PAGE_SIZE];
  private int used;
  private int count;
  private int[] starts = new int[256];
  private int[] inlineLengths = new int[256];
  private int[] overflowPages = new int[256];
  private int[] overflowLengths = new int[256];
  private long[] ids = new long[256];
  private int[] children = new int[256];
  private final BTreeEntry entry = new BTreeEntry();

  void clear() {
    used = 0;
    count = 0;
  }

  int count() {
    return count;
  }

  /** Adds all entries of a page behind those already here. */
  void append(BTreePage page) {
    boolean isInner = !page.isLeaf();
    for (int i = 0; i < page.count(); i++) {
      page.cell(i);
      int length = page.inlineLength();
      ensure(length);
      page.copyInline(bytes, used);
      starts[count] = used;
      inlineLengths[count] = length;
      overflowPages[count] = page.overflowPage();
      overflowLengths[count] = overflowPages[count] == 0 ? 0 : page.overflowLength();
      ids[count] = page.id();
      children[count] = isInner ? page.child(i + 1) : 0;
      used += length;
      count++;
    }
  }

  void insert(int index, BTreeEntry added) {
    ensure(added.inlineLength);
    int moved = count - index;
    System.arraycopy(starts, index, starts, index + 1, moved);
    System.arraycopy(inlineLengths, index, inlineLengths, index + 1, moved);
    System.arraycopy(overflowPages, index, overflowPages, index + 1, moved);
    System.arraycopy(overflowLengths, index, overflowLengths, index + 1, moved);
    System.arraycopy(ids, index, ids, index + 1, moved);
    System.arraycopy(children, index, children, index + 1, moved);
    System.arraycopy(added.bytes, added.from, bytes, used, added.inlineLength);
    starts[index] = used;
    inlineLengths[index] = added.inlineLength;
    overflowPages[index] = added.overflowPage;
    overflowLengths[index] = added.overflowLength;
    ids[index] = added.id;
    children[index] = added.child;
    used += added.inlineLength;
    count++;
  }

  /** A view of one entry; its bytes are valid until these cells change. */
  BTreeEntry entry(int index) {
    entry.bytes = bytes;
    entry.from = starts[index];
    entry.inlineLength = inlineLengths[index];
    entry.overflowPage = overflowPages[index];
    entry.overflowLength = overflowLengths[index];
    entry.id = ids[index];
    entry.child = children[index];
    return entry;
  }

  boolean fits(int from, int to, boolean isInner) {
    if (from == to) {
      return true;
    }
    int prefix = commonPrefix(from, to - 1);
    int size = prefix;
    for (int i = from; i < to; i++) {
      size += Short.BYTES + entry(i).cellBytes(prefix, isInner);
    }
    return size <= BTreePage.CAPACITY;
  }

  /** Lays out the entries from {@code from} to before {@code to} on a page. */
  void write(BTreePage page, int from, int to) {
    page.clear(bytes, from == to ? 0 : starts[from], from == to ? 0 : commonPrefix(from, to - 1));
    for (int i = from; i < to; i++) {
      if (!page.insert(i - from, entry(i))) {
        throw new IllegalStateException("page " + page.number() + " overflows");
      }
    }
  }

  /**
   * Where to cut so that both sides fit, as near to half of the bytes as possible, or, when entries
   * come in order, near to the end they come in at. In an inner page the entry at the cut moves up.
   *
   * @param bias -1 if entries come in at the left end of the tree, 1 at the right, 0 if neither
   */
  int split(boolean isInner, int bias) {
    int first = 1;
    int last = isInner ? count - 2 : count - 1;
    int wanted = bias < 0 ? first : bias > 0 ? last : middle();
    for (int distance = 0; distance < count; distance++) {
      if (isCut(wanted - distance, first, last, isInner)) {
        return wanted - distance;
      }
      if (isCut(wanted + distance, first, last, isInner)) {
        return wanted + distance;
      }
    }
    throw new IllegalStateException("no way to split " + count + " entries");
  }

  private boolean isCut(int at, int first, int last, boolean isInner) {
    return at >= first
        && at <= last
        && fits(0, at, isInner)
        && fits(isInner ? at + 1 : at, count, isInner);
  }

  private int middle() {
    int index = 0;
    for (int sum = 0; index < count && sum < used / 2; index++) {
      sum += inlineLengths[index];
    }
    return index;
  }

  private int commonPrefix(int first, int last) {
    int max = Math.min(inlineLengths[first], inlineLengths[last]);
    int difference =
        Arrays.mismatch(
            bytes, starts[first], starts[first] + max, bytes, starts[last], starts[last] + max);
    return difference < 0 ? max : difference;
  }

  private void ensure(int length) {
    if (count + 1 >= starts.length) {
      int larger = starts.length * 2;
      starts = Arrays.copyOf(starts, larger);
      inlineLengths = Arrays.copyOf(inlineLengths, larger);
      overflowPages = Arrays.copyOf(overflowPages, larger);
      overflowLengths = Arrays.copyOf(overflowLengths, larger);
      ids = Arrays.copyOf(ids, larger);
      children = Arrays.copyOf(children, larger);
    }
    if (used + length > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(used + length, bytes.length * 2));
    }
  }
}
