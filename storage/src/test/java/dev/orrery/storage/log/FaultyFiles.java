package dev.orrery.storage.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Real files on a device that fills up, breaks and recovers as a test says. */
final class FaultyFiles implements SegmentFiles {

  private final SegmentFiles disk = new DiskFiles();

  /** How many bytes can be written before the device is full. */
  volatile long roomBytes = Long.MAX_VALUE;

  volatile boolean isForceBroken;

  /** What forcing throws, or null. */
  volatile Error forceError;

  volatile long slowForceMillis;
  volatile boolean isResizeBroken;
  volatile boolean isRenameBroken;
  volatile boolean isDirectoryBroken;
  volatile int forces;
  volatile long writtenBytes;

  @Override
  public SegmentFile open(Path path, boolean create) throws IOException {
    return new FaultyFile(disk.open(path, create));
  }

  @Override
  public void delete(Path path) throws IOException {
    disk.delete(path);
  }

  @Override
  public List<Path> list(Path directory) throws IOException {
    return disk.list(directory);
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    failIf(isDirectoryBroken, "fsync of a directory");
    disk.forceDirectory(directory);
  }

  private static void failIf(boolean broken, String what) throws IOException {
    if (broken) {
      throw new IOException(what + ": Input/output error");
    }
  }

  private final class FaultyFile implements SegmentFile {
    private final SegmentFile file;

    FaultyFile(SegmentFile file) {
      this.file = file;
    }

    @Override
    public void write(ByteBuffer source, long offset) throws IOException {
      writtenBytes += source.remaining();
      if (source.remaining() > roomBytes) {
        source.limit(source.position() + (int) roomBytes);
        roomBytes = 0;
        file.write(source, offset);
        throw new IOException("No space left on device");
      }
      roomBytes -= roomBytes == Long.MAX_VALUE ? 0 : source.remaining();
      file.write(source, offset);
    }

    @Override
    public int read(ByteBuffer target, long offset) throws IOException {
      return file.read(target, offset);
    }

    @Override
    public void resize(long bytes) throws IOException {
      failIf(isResizeBroken, "ftruncate");
      file.resize(bytes);
    }

    @Override
    public long size() throws IOException {
      return file.size();
    }

    @Override
    public void force() throws IOException {
      forces++;
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(slowForceMillis));
      if (forceError != null) {
        throw forceError;
      }
      failIf(isForceBroken, "fsync");
      file.force();
    }

    @Override
    public void rename(Path target) throws IOException {
      failIf(isRenameBroken, "rename");
      file.rename(target);
    }

    @Override
    public Mapping map(long bytes) throws IOException {
      return file.map(bytes);
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
