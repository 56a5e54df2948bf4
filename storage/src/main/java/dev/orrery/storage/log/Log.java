package dev.orrery.storage.log;

import dev.orrery.lane.Lane;
import dev.orrery.storage.CommitClock;
import dev.orrery.storage.PrivateFiles;
import dev.orrery.storage.Receipt;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageObserver;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;

/**
 * An append-only log of atomic record groups in checksummed segment files. Thread-safe.
 *
 * <p>Each group has a log sequence number (LSN), one more than that of the group before, for ever.
 * Each record has a position, valid until its segment is deleted.
 */
public final class Log implements Closeable {
  /*
   * One append at a time, and with it the roll to a new segment. Reads take no lock: they see an
   * immutable table of segments, and in each segment the end of the last whole group.
   */

  private final LogOptions options;
  private final DirectoryLock directoryLock;
  private final LogSegments segments;
  private final Committer committer;
  private final CommitClock times;
  private final ReentrantLock appending = new ReentrantLock();
  private volatile Stamp last;
  private volatile boolean closed;

  private Log(Path directory, LogOptions options, SegmentFiles files, DirectoryLock directoryLock)
      throws IOException {
    this.options = options;
    this.directoryLock = directoryLock;
    segments = new LogSegments(directory, options, files, options.clock().millis());
    times = new CommitClock(options.clock());
    last = segments.active().segment().last();
    times.advanceTo(last.time());
    committer = new Committer(new ActiveSegment(), options);
  }

  /** The file and the offset at which the log ends, for people. */
  public String end() {
    Segment newest = segments.active().segment();
    return newest.path() + " at offset " + newest.end();
  }

  /** Opens the log in {@code directory}, which is created if need be, and recovers it. */
  public static Log open(Path directory, LogOptions options) {
    return open(directory, options, new DiskFiles());
  }

  static Log open(Path directory, LogOptions options, SegmentFiles files) {
    DirectoryLock lock = null;
    try {
      PrivateFiles.createDirectories(directory);
      lock = DirectoryLock.acquire(directory);
      var log = new Log(directory, options, files, lock);
      lock = null;
      return log;
    } catch (IOException e) {
      throw LogFailures.io("open", directory, e);
    } finally {
      SegmentFolder.closeQuietly(lock);
    }
  }

  private final class ActiveSegment implements Committer.Source {
    @Override
    public long lastLsn() {
      return last.lsn();
    }

    @Override
    public void force() throws IOException {
      segments.force();
    }
  }

  /**
   * Appends one atomic group. After the return it is in the file and can be read by position, but a
   * power cut may still take it: see {@link #whenDurable}. When this throws, nothing was appended,
   * and if the reason was a full disk a later append may succeed.
   */
  public Appended append(RecordGroup group) {
    if (group.size() == 0) {
      throw new IllegalArgumentException("a group needs a record");
    }
    Lane.requireMayAppend();
    Lane.take(appending); // who has it may be beginning a segment
    try {
      requireWritable();
      if (!segments.active().hasRoom(group.encodedBytes())) {
        Lane.requireMayWait();
        roll(group.encodedBytes());
      }
      var stamp = new Stamp(last.lsn() + 1, now(), times.tick());
      long[] positions = write(group, stamp);
      last = stamp;
      committer.appended(stamp.lsn());
      return new Appended(stamp, positions);
    } finally {
      appending.unlock();
    }
  }

  private long[] write(RecordGroup group, Stamp stamp) {
    SegmentWriter active = segments.active();
    try {
      return active.append(group, stamp, committer.durableLsn());
    } catch (IOException e) {
      segments.undo(committer);
      throw LogFailures.io("append to", active.segment().path(), e);
    } catch (RuntimeException | Error e) {
      segments.undo(committer);
      throw e;
    }
  }

  /** Clocks are set back at times; the log's timestamps never are. */
  private long now() {
    return Math.max(options.clock().millis(), last.millis());
  }

  void requireOpen() {
    if (closed) {
      throw LogFailures.closed();
    }
  }

  private void requireWritable() {
    requireOpen();
    if (committer.failure() != null) {
      throw committer.failure();
    }
  }

  /** Seals the active segment, so that it can be compacted, and goes on in a new one. */
  public void seal() {
    Lane.requireMayWait();
    appending.lock();
    try {
      requireWritable();
      roll(0);
    } finally {
      appending.unlock();
    }
  }

  private void roll(long groupBytes) {
    segments.roll(committer, new Stamp(last.lsn(), now(), last.time()), groupBytes);
  }

  /**
   * Completes when everything up to and including {@code lsn} would survive a power cut; fails if
   * that can no longer be promised. What depends on the future runs on the committer's thread,
   * where it must do no more than hand over: {@link Lane} refuses it to append or to wait.
   */
  public CompletableFuture<Void> whenDurable(long lsn) {
    if (lsn > lastLsn()) {
      throw new IllegalArgumentException("LSN " + lsn + " is not appended, last is " + lastLsn());
    }
    return committer.whenDurable(lsn);
  }

  /** Returns when {@link #whenDurable} would complete, or throws why it cannot. */
  public void awaitDurable(long lsn) {
    if (lsn > durableLsn()) {
      Lane.requireMayWait();
    }
    try {
      whenDurable(lsn).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof StorageException cause ? cause : e;
    }
  }

  /** The clock that gives groups their cluster times. */
  public CommitClock times() {
    return times;
  }

  /** The last LSN that would survive a power cut; 0 in an empty log. */
  public long durableLsn() {
    return committer.durableLsn();
  }

  /** Of a group that was appended. */
  public Receipt receipt(Stamp stamp) {
    return new LogReceipt(this, stamp.lsn(), stamp.time());
  }

  /** The last LSN appended; 0 in an empty log. */
  public long lastLsn() {
    return last.lsn();
  }

  /** The stamp of the last group appended; with an LSN of 0 in an empty log. */
  public Stamp last() {
    return last;
  }

  /** The first LSN that is retained, or that the first group will have. */
  public long firstLsn() {
    requireOpen();
    return segments.all().get(0).header().firstLsn();
  }

  /** What is known of the group before the oldest one from which on none is missing. */
  public Stamp unbroken() {
    requireOpen();
    return LogTimes.unbroken(segments.all());
  }

  /** The LSN of the first group that is later than that cluster time; 0 while there is none. */
  public long lsnAfter(long time) {
    requireOpen();
    return LogTimes.lsnAfter(segments.all(), time);
  }

  /** The present time by the clock of the log. */
  public long millis() {
    return options.clock().millis();
  }

  /** Whether no segment was ever deleted: the log has every group from the first on. */
  public boolean isComplete() {
    long next = 1;
    for (SegmentInfo segment : segments()) {
      if (segment.firstLsn() != next) {
        return false;
      }
      next = segment.lastLsn() + 1;
    }
    return true;
  }

  /** Tells of every time that the log is made durable. */
  public void observe(StorageObserver observer) {
    committer.observe(observer);
  }

  /** Tells of the end of all durability, once, on the thread that met it. */
  public void onFailure(Consumer<Throwable> listener) {
    committer.onFailure(listener);
  }

  /** Refuses every append from now on, and tells all who wait for the disk. */
  public void fail(Throwable cause) {
    committer.fail(cause);
  }

  /** Calls back with each new durable LSN, on a thread that must not block or append. */
  public void addListener(LongConsumer listener) {
    committer.listen(listener);
  }

  public void removeListener(LongConsumer listener) {
    committer.unlisten(listener);
  }

  /** The record at this position, verified and copied. */
  public LogRecord read(long position) {
    return read(position, Long.MAX_VALUE);
  }

  /**
   * The same without the payload, which is null then, when the record's version is newer than
   * {@code newestLsn}.
   */
  public LogRecord read(long position, long newestLsn) {
    return segment(position).read(Position.offset(position), newestLsn);
  }

  /** The LSN of the group that brought the version of the record at this position. */
  public long versionLsn(long position) {
    return segment(position).versionLsn(Position.offset(position));
  }

  /** The payload of the record at this position, verified and copied. */
  public byte[] readPayload(long position) {
    return readPayload(position, length -> {});
  }

  /**
   * The same.
   *
   * @param beforeLarge hears the length of a payload of some 100 KB or more before there is an
   *     array for it; may wait, or throw
   */
  public byte[] readPayload(long position, IntConsumer beforeLarge) {
    return segment(position).readPayload(Position.offset(position), beforeLarge);
  }

  /** Shows the payload to a reader, verified, without an array of its own. */
  public void passPayload(long position, PayloadReader reader) {
    segment(position).passPayload(Position.offset(position), reader);
  }

  /** How long the payload at this position says it is, unverified; 0 if it cannot be true. */
  public int payloadLength(long position) {
    return segment(position).payloadLength(Position.offset(position));
  }

  private Segment segment(long position) {
    Segment segment = segments.find(Position.segment(position));
    if (segment == null) {
      throw closed ? LogFailures.closed() : LogFailures.gone(Position.describe(position));
    }
    return segment;
  }

  /** The number of the segment that a position lies in. */
  public static long segmentOf(long position) {
    return Position.segment(position);
  }

  /** The durable groups with this LSN and later ones, as far as they are retained. */
  public LogCursor from(long lsn) {
    return new LogCursor(this, lsn);
  }

  Segment reaching(long lsn) {
    return segments.reaching(lsn);
  }

  /** All segments in order; the last one is being written to. */
  public List<SegmentInfo> segments() {
    return segments.all().stream().map(Segment::info).toList();
  }

  /**
   * Deletes a sealed segment. Reads that have begun are finished; the disk space is returned when
   * the last of them is. Records that were copied elsewhere must be durable there before.
   */
  public void deleteSegment(long number) {
    requireOpen();
    segments.delete(number);
  }

  /** Reads everything and returns the first fault. Appends and reads go on meanwhile. */
  public Optional<LogFault> verify() {
    return new Verifier(segments.all()).firstFault();
  }

  /** Reads everything; the numbers of the sealed segments that have a fault. */
  public List<Long> damagedSegments() {
    return new Verifier(segments.all()).damaged();
  }

  /**
   * Makes everything durable and marks the log as closed in order, so that opening needs no scan.
   */
  @Override
  public void close() {
    appending.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      if (committer.failure() == null) {
        committer.flush(); // before the footer, as in a roll
        segments.writeLastFooter(committer);
        committer.flush();
      }
    } finally {
      release();
      appending.unlock();
    }
  }

  private void release() {
    if (!segments.all().isEmpty()) {
      committer.close();
      segments.release();
      SegmentFolder.closeQuietly(directoryLock);
    }
  }
}
