package dev.orrery.server.transfer;

import dev.orrery.server.transfer.source.TransferException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The threads that write batches. Each has a short queue of its own, so batches that have to keep
 * their order go through one thread, and a source that is faster than the server waits.
 */
final class WriterPool implements AutoCloseable {
  private static final int QUEUE_BATCHES = 4;
  private static final long POLL_MILLIS = 100;

  private final BatchWriter writer;
  private final LongSupplier nanoTime;
  private final List<BlockingQueue<ImportLane.Batch>> queues = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
  private volatile boolean isClosed;
  private int next;

  WriterPool(BatchWriter writer, int size, LongSupplier nanoTime) {
    this.writer = writer;
    this.nanoTime = nanoTime;
    for (int i = 0; i < size; i++) {
      var queue = new ArrayBlockingQueue<ImportLane.Batch>(QUEUE_BATCHES);
      queues.add(queue);
      var thread = new Thread(() -> work(queue), "import-" + i);
      thread.setDaemon(true);
      threads.add(thread);
    }
  }

  void start() {
    threads.forEach(Thread::start);
  }

  /** Hands a batch over; waits while its queue is full. */
  void write(ImportLane.Batch batch) throws IOException {
    int index =
        batch.lane().isPinned()
            ? Math.floorMod(batch.lane().target().hashCode(), queues.size())
            : next++ % queues.size();
    try {
      do {
        requireHealthy();
      } while (!queues.get(index).offer(batch, POLL_MILLIS, TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TransferException("interrupted", e);
    }
  }

  /** Throws what made a writer give up, if anything did. */
  void requireHealthy() throws IOException {
    Exception cause = failure.get();
    if (cause instanceof IOException known) {
      throw known;
    }
    if (cause != null) {
      throw new TransferException("Writing failed: " + cause.getMessage(), cause);
    }
  }

  private void work(BlockingQueue<ImportLane.Batch> queue) {
    try {
      while (!isClosed && failure.get() == null) {
        ImportLane.Batch batch = queue.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
        if (batch != null) {
          writer.write(batch);
          batch.lane().acknowledge(batch);
          batch.lane().saveSometimes(nanoTime.getAsLong());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | RuntimeException e) {
      failure.compareAndSet(null, e);
    }
  }

  @Override
  public void close() {
    isClosed = true;
    threads.forEach(Thread::interrupt);
    for (Thread thread : threads) {
      try {
        thread.join(TimeUnit.SECONDS.toMillis(10));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
