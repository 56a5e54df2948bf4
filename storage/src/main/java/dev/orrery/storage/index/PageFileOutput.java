package dev.orrery.storage.index;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32C;

/** Collects pages into large positioned writes, with a running checksum of what passed. */
final class PageFileOutput {
  private static final int STAGING_BYTES = 64 * PageFile.PAGE_SIZE;

  private final FileChannel channel;
  private final ByteBuffer staging = ByteBuffer.allocate(STAGING_BYTES);
  private final CRC32C checksum = new CRC32C();
  private long position;

  PageFileOutput(FileChannel channel) {
    this.channel = channel;
  }

  /** The place in the file that the next byte goes to. */
  void seek(long target) throws IOException {
    if (target != position + staging.position()) {
      flush();
      position = target;
    }
  }

  void putInt(int value) throws IOException {
    room(Integer.BYTES);
    staging.putInt(value);
  }

  void putLong(long value) throws IOException {
    room(Long.BYTES);
    staging.putLong(value);
  }

  void putPage(ByteBuffer source, int offset) throws IOException {
    room(PageFile.PAGE_SIZE);
    int at = staging.position();
    staging.put(at, source, offset, PageFile.PAGE_SIZE);
    staging.position(at + PageFile.PAGE_SIZE);
  }

  /** The checksum of every byte put so far. */
  int checksum() throws IOException {
    flush();
    return (int) checksum.getValue();
  }

  void flush() throws IOException {
    checksum.update(staging.array(), 0, staging.position());
    staging.flip();
    while (staging.hasRemaining()) {
      position += channel.write(staging, position);
    }
    staging.clear();
  }

  private void room(int bytes) throws IOException {
    if (staging.remaining() < bytes) {
      flush();
    }
  }
}
