package dev.orrery.storage.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The segments of a log: those that are sealed, and the one that is written to. */
final class LogSegments {
  /*
   * Locks, in the order in which they may be taken, after the log's own for appends:
   *   structure  the set of segments and its manifest;
   *   forcing    which segment is written to, as seen by the committer.
   * Readers take none: they see an immutable table.
   */

  private final SegmentFolder folder;
  private final SegmentFiles files;
  private final ReentrantLock structure = new ReentrantLock();
  private final ReentrantLock forcing = new ReentrantLock();
  private volatile SegmentTable table = SegmentTable.EMPTY;
  private SegmentWriter active;

  /**
   * @param millis the present time
   */
  LogSegments(Path directory, LogOptions options, SegmentFiles files, long millis)
      throws IOException {
    var encoder = new GroupEncoder();
    this.folder = new SegmentFolder(directory, options, files, encoder);
    this.files = files;
    LogRecovery.Opened opened = new LogRecovery(directory, options, files).open(encoder);
    if (opened == null) {
      active = folder.create(1, new Stamp(0, millis, 0), 0);
      install(active);
      folder.force();
    } else {
      opened.sealed().forEach(segment -> table = table.with(segment));
      active = opened.active();
    }
    table = table.with(active.segment());
  }

  /** The one that is written to, by whoever appends. */
  SegmentWriter active() {
    return active;
  }

  @Nullable Segment find(long number) {
    return table.find(number);
  }

  /** The first segment with a group of this LSN or a later one, or null. */
  @Nullable Segment reaching(long lsn) {
    return table.reaching(lsn);
  }

  /** All of them in order. */
  List<Segment> all() {
    return table.all();
  }

  /** Makes what was appended durable; earlier segments were forced before this one was begun. */
  void force() throws IOException {
    forcing.lock();
    try {
      active.force();
    } finally {
      forcing.unlock();
    }
  }

  /** Removes the traces of a failed append or roll; if even that fails, nobody may append again. */
  void undo(Committer committer) {
    try {
      active.undo();
    } catch (IOException e) {
      committer.fail(e);
    }
  }

  /**
   * Seals the active segment and goes on in a new one.
   *
   * @param before the stamp of the last group, at the present time
   * @param groupBytes there is room for a group of that size at least
   */
  void roll(Committer committer, Stamp before, long groupBytes) {
    SegmentWriter old = active;
    structure.lock();
    try {
      SegmentWriter fresh = folder.create(old.segment().number() + 1, before, groupBytes);
      try {
        // A footer says that all before it is there: a power cut must not keep it and lose a group.
        committer.flush();
        old.writeFooter();
        committer.flush();
        install(fresh);
      } catch (IOException | RuntimeException e) {
        abandon(fresh, committer);
        throw e;
      }
      switchTo(fresh, committer);
      old.close();
    } catch (IOException e) {
      throw LogFailures.io("begin a segment after", old.segment().path(), e);
    } finally {
      structure.unlock();
    }
  }

  /** Makes the segment one that recovery finds; throws if it does not. */
  private void install(SegmentWriter fresh) throws IOException {
    fresh.install();
    folder.list(table.with(fresh.segment()));
  }

  /** Writes to an installed segment from now on. */
  private void switchTo(SegmentWriter fresh, Committer committer) throws IOException {
    try {
      folder.force();
    } catch (IOException e) {
      // Recovery finds the new segment or not: both are right, as long as nobody appends to either.
      committer.fail(e);
      SegmentFolder.release(fresh);
      throw e;
    }
    active.segment().seal();
    table = table.with(fresh.segment());
    forcing.lock();
    try {
      active = fresh;
    } finally {
      forcing.unlock();
    }
  }

  /**
   * Removes a segment that could not be installed, and the footer before it. If it cannot be
   * removed, recovery will find it and must find that footer too: nobody may append again.
   */
  private void abandon(SegmentWriter fresh, Committer committer) {
    SegmentFolder.release(fresh);
    try {
      folder.delete(fresh.segment());
      undo(committer);
    } catch (IOException e) {
      committer.fail(e);
    }
  }

  /** Deletes a sealed segment; the disk space is returned when the last reader has left. */
  void delete(long number) {
    structure.lock();
    try {
      Segment segment = table.find(number);
      if (segment == null) {
        throw LogFailures.gone("segment " + number);
      } else if (!segment.sealed()) {
        throw new IllegalArgumentException("segment " + number + " is not sealed");
      }
      SegmentTable rest = table.without(number);
      folder.list(rest);
      folder.force();
      table = rest;
      segment.mapping().release();
      files.delete(segment.path()); // If this fails, the next recovery does it.
    } catch (IOException e) {
      throw LogFailures.io("delete segment " + number + " in", folder.path(), e);
    } finally {
      structure.unlock();
    }
  }

  /** Says that the log was closed in order; without that the next recovery scans the segment. */
  void writeLastFooter(Committer committer) {
    try {
      active.writeFooter();
    } catch (IOException e) {
      undo(committer);
    }
  }

  /** Lets go of all files. */
  void release() {
    structure.lock();
    try {
      SegmentTable open = table;
      table = SegmentTable.EMPTY;
      open.all().forEach(segment -> segment.mapping().release());
      SegmentFolder.closeQuietly(active);
    } finally {
      structure.unlock();
    }
  }
}
