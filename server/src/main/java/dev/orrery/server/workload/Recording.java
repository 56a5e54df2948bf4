package dev.orrery.server.workload;

import dev.orrery.lane.Lane;
import dev.orrery.lane.Rounds;
import dev.orrery.value.RawDocument;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A recording that goes on: takes requests from the threads that answer them, without making them
 * wait, and writes them on a thread of its own. What comes too fast for the disk is left out and
 * counted; when the file is as long as it may be, the rest is.
 */
final class Recording implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Recording.class);

  /** Requests that may wait to be written. */
  static final int WAITING_MAX = 20_000;

  /** And what they may hold together. */
  static final long WAITING_BYTES_MAX = 16 << 20;

  private static final long STOP_MILLIS = 30_000;
  private static final long FLUSH_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * What is recorded.
   *
   * @param name of the file
   * @param database of which requests; empty for all
   * @param bytesMax how long the file may become
   */
  record Settings(String name, String database, boolean isHashed, long bytesMax) {}

  /** A request as it came, and what is known of it beside its body. */
  record Waiting(
      RecordedRequest.Origin origin,
      RecordedRequest.Target target,
      RecordedRequest.Outcome outcome,
      RawDocument body,
      Map<String, List<RawDocument>> beside) {
    long bytes() {
      long sum = body.length();
      for (List<RawDocument> documents : beside.values()) {
        for (RawDocument document : documents) {
          sum += document.length();
        }
      }
      return sum;
    }
  }

  private final Settings settings;
  private final WorkloadHeader header;
  private final long startNanos;
  private final RequestForm form;
  private final WorkloadWriter writer;
  private final LinkedBlockingQueue<Waiting> waiting = new LinkedBlockingQueue<>(WAITING_MAX);
  private final AtomicLong waitingBytes = new AtomicLong();
  private final AtomicLong recorded = new AtomicLong();
  private final AtomicLong leftOut = new AtomicLong();
  private final Thread thread;
  private @Nullable Waiting next;
  private long flushedNanos;
  private volatile long written;
  private volatile boolean isFull;
  private volatile boolean isClosed;
  private volatile @Nullable String failure;

  /**
   * @param hashes null when values stay as they are
   * @param startNanos when the recording begins, by the clock of the requests
   */
  Recording(
      Settings settings,
      WorkloadHeader header,
      OutputStream out,
      @Nullable ValueHashes hashes,
      long startNanos)
      throws IOException {
    this.settings = settings;
    this.header = header;
    this.form = new RequestForm(hashes);
    this.startNanos = startNanos;
    this.writer = new WorkloadWriter(out, header);
    this.written = writer.bytesWritten();
    this.thread = Lane.BACKGROUND.thread("workload", new Rounds(new Writing()));
    thread.setDaemon(true);
    thread.start();
  }

  Settings settings() {
    return settings;
  }

  WorkloadHeader header() {
    return header;
  }

  /** Since the recording began. */
  long micros(long nanos) {
    return Math.max(0, TimeUnit.NANOSECONDS.toMicros(nanos - startNanos));
  }

  boolean wants(String database) {
    return !isFull && (settings.database.isEmpty() || settings.database.equals(database));
  }

  void add(Waiting request) {
    long bytes = request.bytes();
    boolean hasRoom = !isClosed && waitingBytes.get() + bytes <= WAITING_BYTES_MAX;
    if (hasRoom && waiting.offer(request)) {
      waitingBytes.addAndGet(bytes);
    } else {
      leftOut.incrementAndGet();
    }
  }

  long recorded() {
    return recorded.get();
  }

  /** How many requests are not in the file that should be. */
  long leftOut() {
    return leftOut.get();
  }

  long bytes() {
    return written;
  }

  boolean isFull() {
    return isFull;
  }

  /** Why the file could not be written; null when it could. */
  @Nullable String failure() {
    return failure;
  }

  private final class Writing implements Rounds.Work {
    @Override
    public boolean await() throws InterruptedException {
      next = isClosed ? waiting.poll() : waiting.poll(1, TimeUnit.SECONDS);
      return next != null || !isClosed;
    }

    @Override
    public void run() {
      try {
        if (next != null) {
          write(next);
        }
        flushNowAndThen();
      } catch (IOException e) {
        isFull = true;
        failure = e.toString();
        LOG.error("the workload {} cannot be recorded any more", settings.name, e);
      }
    }

    @Override
    public boolean mayGoOn(Throwable thrown) {
      leftOut.incrementAndGet();
      LOG.error("a request could not be recorded", thrown);
      return true;
    }
  }

  private void write(Waiting request) throws IOException {
    waitingBytes.addAndGet(-request.bytes());
    if (isFull) {
      leftOut.incrementAndGet();
      return;
    }
    BsonDocument body = form.of(request.body, request.beside);
    writer.add(new RecordedRequest(request.origin, request.target, body, request.outcome));
    recorded.incrementAndGet();
    written = writer.bytesWritten();
    isFull = written >= settings.bytesMax;
  }

  private void flushNowAndThen() throws IOException {
    long now = System.nanoTime();
    if (now - flushedNanos >= FLUSH_NANOS) {
      writer.flush();
      written = writer.bytesWritten();
      flushedNanos = now;
    }
  }

  /** Writes what waits, and takes nothing more. */
  @Override
  public void close() throws IOException {
    isClosed = true;
    try {
      thread.join(STOP_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      throw new IOException("the workload is still being written; its file has no end");
    }
    writer.close();
    written = writer.bytesWritten();
  }
}
