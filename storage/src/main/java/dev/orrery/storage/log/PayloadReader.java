package dev.orrery.storage.log;

import java.nio.ByteBuffer;

/** Takes a record's payload from where it lies in the log, so that it is copied once. */
@FunctionalInterface
public interface PayloadReader {
  /** The bytes are there until this returns; only absolute reads are allowed. */
  void read(ByteBuffer source, int offset, int length);
}
