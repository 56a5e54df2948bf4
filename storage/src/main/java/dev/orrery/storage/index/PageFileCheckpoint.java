package dev.orrery.storage.index;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The state of a page file at one moment: its header and the frames of the pages that have to be
 * written. The frames belong to the checkpoint until it is settled or abandoned; a writer that
 * wants to change one of these pages meanwhile copies it first.
 */
final class PageFileCheckpoint {
  private final PageFilePool pool;
  private final PageFileHeader header;
  private final int[] pages; // ascending
  private final int[] frames;
  private final ByteBuffer headerPage;

  PageFileCheckpoint(PageFilePool pool, PageFileHeader header, int[] pages, int[] frames) {
    this.pool = pool;
    this.header = header;
    this.pages = pages;
    this.frames = frames;
    this.headerPage = header.encode();
  }

  PageFileHeader header() {
    return header;
  }

  int size() {
    return pages.length;
  }

  int page(int index) {
    return pages[index];
  }

  int frame(int index) {
    return frames[index];
  }

  /** Stores each page's checksum in its frame, where nobody looks at it. */
  void seal() {
    headerPage.putInt(PageFile.LIMIT, PageFileImage.checksum(headerPage, 0, 0));
    for (int i = 0; i < pages.length; i++) {
      ByteBuffer buffer = pool.buffer(frames[i]);
      int offset = PageFilePool.offset(frames[i]);
      buffer.putInt(offset + PageFile.LIMIT, PageFileImage.checksum(buffer, offset, pages[i]));
    }
  }

  /** Puts the pages from {@code first} on to their places in the image; page 0 is the header. */
  void writePages(PageFileOutput output, int first) throws IOException {
    if (first == 0) {
      output.putPage(headerPage, 0);
    }
    for (int i = 0; i < pages.length; i++) {
      if (pages[i] >= first) {
        output.seek((long) pages[i] << PageFile.PAGE_SHIFT);
        output.putPage(pool.buffer(frames[i]), PageFilePool.offset(frames[i]));
      }
    }
  }

  /** How many pages, the header included, lie below {@code end}. */
  int pagesBelow(int end) {
    int count = 1;
    for (int page : pages) {
      count += page < end ? 1 : 0;
    }
    return count;
  }

  /** Puts the header and the pages below {@code end} as journal entries. */
  void writeEntries(PageFileOutput output, int end) throws IOException {
    output.putInt(0);
    output.putPage(headerPage, 0);
    for (int i = 0; i < pages.length && pages[i] < end; i++) {
      output.putInt(pages[i]);
      output.putPage(pool.buffer(frames[i]), PageFilePool.offset(frames[i]));
    }
  }
}
