package dev.orrery.storage.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A file that is written at given offsets. {@code force} is called by one thread at a time; so is
 * everything else, by possibly another.
 */
interface SegmentFile extends Closeable {

  /** Writes all remaining bytes, or throws and may have written some. */
  void write(ByteBuffer source, long offset) throws IOException;

  /** Reads some bytes from that offset on; -1 at the end of the file. */
  int read(ByteBuffer target, long offset) throws IOException;

  /** Makes the file exactly this long; new bytes are zeros without a place on the device. */
  void resize(long bytes) throws IOException;

  long size() throws IOException;

  /** Gives the open file another name in the same directory, in place of what has it now. */
  void rename(Path target) throws IOException;

  /** Returns when what was written is on the device. */
  void force() throws IOException;

  /** The first {@code bytes} bytes as memory, which outlives this object. */
  Mapping map(long bytes) throws IOException;

  @Override
  void close() throws IOException;
}
