package dev.orrery.storage.index;

import java.nio.ByteBuffer;

/**
 * Chains of pages that hold the tails of long keys. A page: kind (1), unused (1), bytes in this
 * page (2), next page or 0 (4), data.
 */
final class BTreeOverflow {
  private static final int DATA_AT = 8;
  private static final int DATA_BYTES = PageFile.LIMIT - DATA_AT;

  private final PageFile file;

  BTreeOverflow(PageFile file) {
    this.file = file;
  }

  /** Stores the key's bytes from {@code from} on; returns the first page. */
  int write(byte[] key, int from) {
    int next = 0;
    int end = key.length;
    // From the tail to the head, so that each page knows its successor.
    int tail = (key.length - from) % DATA_BYTES;
    int length = tail == 0 ? DATA_BYTES : tail;
    while (end > from) {
      int page = file.allocate();
      int location = file.locateForWrite(page);
      ByteBuffer buffer = file.buffer(page, location);
      int base = PageFile.offset(page, location);
      buffer.put(base, (byte) BTreePage.OVERFLOW).put(base + 1, (byte) 0);
      buffer.putShort(base + 2, (short) length).putInt(base + 4, next);
      buffer.put(base + DATA_AT, key, end - length, length);
      end -= length;
      next = page;
      length = DATA_BYTES;
    }
    return next;
  }

  void read(int first, byte[] target, int start, int end) {
    int page = first;
    int at = start;
    while (at < end) {
      int location = file.locate(page);
      ByteBuffer buffer = file.buffer(page, location);
      int base = PageFile.offset(page, location);
      int length = length(buffer, base, page);
      buffer.get(base + DATA_AT, target, at, length);
      at += length;
      page = buffer.getInt(base + 4);
    }
  }

  /** Compares a stored tail with the key's bytes from {@code from} on. */
  int compare(int first, int keyLength, byte[] key, int from) {
    int page = first;
    int at = from;
    while (at < keyLength) {
      int location = file.locate(page);
      ByteBuffer buffer = file.buffer(page, location);
      int base = PageFile.offset(page, location);
      int length = length(buffer, base, page);
      int common = Math.min(length, key.length - at);
      for (int i = 0; i < common; i++) {
        int difference = (buffer.get(base + DATA_AT + i) & 0xff) - (key[at + i] & 0xff);
        if (difference != 0) {
          return difference;
        }
      }
      if (common < length) {
        return 1;
      }
      at += length;
      page = buffer.getInt(base + 4);
    }
    return keyLength - key.length;
  }

  void free(int first) {
    int page = first;
    while (page != 0) {
      int location = file.locate(page);
      int next = file.buffer(page, location).getInt(PageFile.offset(page, location) + 4);
      file.free(page);
      page = next;
    }
  }

  private int length(ByteBuffer buffer, int base, int page) {
    if (buffer.get(base) != BTreePage.OVERFLOW) {
      throw PageFileImage.corrupt(
          file.path(), (long) page << PageFile.PAGE_SHIFT, "not an overflow page");
    }
    return buffer.getShort(base + 2);
  }
}
