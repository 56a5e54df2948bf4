package dev.orrery.storage.physical;

import dev.orrery.storage.log.Log;
import dev.orrery.storage.log.Stamp;
import dev.orrery.value.Namespace;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The points at which somebody reads, and what is kept for them: what commits took away ({@link
 * History}), partitions that were split or merged, segments of the log with old versions. While
 * there is no point nothing is kept.
 */
public final class ReadPoints {
  /*
   * A commit appends, so that the log has a new end, and then asks for the oldest point. Who opens a
   * point says so first (by an oldest point of 0) and then asks for the log's end. So either the
   * point includes the commit, or the commit knows of the point.
   *
   * Commits up to the point may still be on their way into the structures. They hold the locks of
   * their partitions, so whoever has had such a lock once sees all of them.
   */
  private static final Logger LOGGER = LoggerFactory.getLogger(ReadPoints.class);

  static final long NONE = Long.MAX_VALUE;

  /** One point. */
  static final class Point implements Comparable<Point> {
    final long lsn;
    final long time;
    private final long number;
    private volatile boolean isLost;

    private Point(Stamp stamp, long number) {
      this.lsn = stamp.lsn();
      this.time = stamp.time();
      this.number = number;
    }

    /** Whether it had to go, as what was kept for it became too much. */
    boolean isLost() {
      return isLost;
    }

    @Override
    public int compareTo(Point other) {
      int order = Long.compare(lsn, other.lsn);
      return order != 0 ? order : Long.compare(number, other.number);
    }
  }

  /** Knows whether a name stands for the same collection as after that group of the log. */
  @FunctionalInterface
  public interface Names {
    boolean isSame(Namespace namespace, long lsn);
  }

  /** Work that waits for the points before a commit to close. */
  private record Later(long lsn, Runnable work) {}

  private final Log log;
  private final long bytesMax;
  private final TreeSet<Point> open = new TreeSet<>();
  private final List<Later> later = new ArrayList<>();
  private final Set<Trail> remembering = ConcurrentHashMap.newKeySet();
  private final AtomicLong heldBytes = new AtomicLong();
  private volatile Names names = (namespace, lsn) -> true;
  private volatile long oldest = NONE;
  private volatile long patience;
  private long opened;

  /**
   * @param bytesMax how much may be kept in memory before the oldest point is lost
   */
  public ReadPoints(Log log, long bytesMax) {
    this.log = log;
    this.bytesMax = bytesMax;
    this.patience = bytesMax;
  }

  /** To be called before the first point is opened. */
  public void namedBy(Names known) {
    names = known;
  }

  boolean isSame(Namespace namespace, Point point) {
    return names.isSame(namespace, point.lsn);
  }

  /** The point that every commit before this call belongs to. */
  synchronized Point open() {
    oldest = 0;
    try {
      var point = new Point(log.last(), ++opened);
      open.add(point);
      return point;
    } finally {
      settle();
    }
  }

  /**
   * A point in the past. Commits from now on keep what they take away; what those before took is
   * for whoever asks to find out.
   */
  synchronized Point open(Stamp stamp) {
    oldest = 0;
    try {
      var point = new Point(stamp, ++opened);
      open.add(point);
      return point;
    } finally {
      settle();
    }
  }

  /** Forgets a point; closing it again does nothing. */
  void close(Point point) {
    synchronized (this) {
      open.remove(point);
      settle();
    }
  }

  private void settle() {
    oldest = open.isEmpty() ? NONE : open.first().lsn;
  }

  /** The sequence number of the oldest point, {@link #NONE} without any. */
  public long oldest() {
    return oldest;
  }

  /** Something is kept there for a point. */
  void remember(Trail trail) {
    remembering.add(trail);
  }

  /** Counts memory that is kept for points. */
  void hold(long bytes) {
    if (heldBytes.addAndGet(bytes) > patience && bytes > 0) {
      loseOldest();
    }
  }

  public long heldBytes() {
    return heldBytes.get();
  }

  private synchronized void loseOldest() {
    patience = heldBytes() + bytesMax / 4; // what is kept goes with the next purge
    if (!open.isEmpty()) {
      Point lost = open.pollFirst();
      lost.isLost = true;
      settle();
      LOGGER.warn(
          "a reader at point {} is given up, as {} bytes were kept for it", lost.lsn, heldBytes());
    }
  }

  /** Runs work as soon as no point before that commit is open, maybe at once. */
  public void whenPassed(long lsn, Runnable work) {
    synchronized (this) {
      if (oldest < lsn) {
        later.add(new Later(lsn, work));
        return;
      }
    }
    work.run();
  }

  /** Gives up all points. */
  public void loseAll() {
    synchronized (this) {
      open.forEach(point -> point.isLost = true);
      open.clear();
      settle();
    }
    purge();
  }

  /** Forgets what no point needs; takes the locks of partitions. */
  public void purge() {
    patience = bytesMax;
    for (Trail trail : List.copyOf(remembering)) {
      remembering.remove(trail); // first, as whoever keeps something after this puts it back
      if (!trail.forget()) {
        remembering.add(trail);
      }
    }
    List<Later> due;
    synchronized (this) {
      long passed = oldest;
      due = later.stream().filter(one -> one.lsn() <= passed).toList();
      later.removeAll(due);
    }
    due.forEach(one -> one.work().run());
  }
}
