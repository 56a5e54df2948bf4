package dev.orrery.language.limit;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/** What was put away: written once, then read from any place, as often as wanted. */
public interface SpillFile extends AutoCloseable {
  /** Begins to write; to be closed before anybody reads. */
  OutputStream output() throws IOException;

  /** Reads from that position as much as there is and fits, at least a byte; -1 at the end. */
  int read(ByteBuffer target, long position) throws IOException;

  /** How many bytes were written. */
  long length() throws IOException;

  /** Gives up what costs while nobody reads; the next read goes on as before. */
  void rest() throws IOException;

  /** Ends it, and all that it has; may be called twice. */
  @Override
  void close() throws IOException;
}
