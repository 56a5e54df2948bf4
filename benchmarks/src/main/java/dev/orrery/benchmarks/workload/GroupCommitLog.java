package dev.orrery.benchmarks.workload;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A file to which threads append, and in which one of those that wait writes and forces for all:
 * the least that a durable insert can cost on this disk.
 */
final class GroupCommitLog implements Closeable {
  private static final int BUFFER_BYTES = 1 << 20;

  private final FileChannel file;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition isFree = lock.newCondition();
  private ByteBuffer filling = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private ByteBuffer spare = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private long appended;
  private long durable;
  private boolean isForcing;

  GroupCommitLog(Path path) throws IOException {
    file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  /** Returns when the bytes are on the disk. */
  void append(byte[] bytes) throws IOException {
    lock.lock();
    try {
      filling.put(bytes);
      long own = ++appended;
      while (durable < own) {
        if (isForcing) {
          isFree.awaitUninterruptibly();
        } else {
          force();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Called with the lock, which it gives back while the disk works. */
  private void force() throws IOException {
    isForcing = true;
    ByteBuffer full = filling;
    filling = spare;
    long last = appended;
    lock.unlock();
    try {
      file.write(full.flip());
      file.force(false);
    } finally {
      lock.lock();
      spare = full.clear();
      durable = last;
      isForcing = false;
      isFree.signalAll();
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
