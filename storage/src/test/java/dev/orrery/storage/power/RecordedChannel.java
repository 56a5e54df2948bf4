package dev.orrery.storage.power;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;

/** A real channel that says when it is written or forced. */
final class RecordedChannel extends FileChannel {
  /** What happens before a force. */
  interface Forcing {
    void begin() throws IOException;
  }

  private final FileChannel real;
  private final PowerModel model;
  private final Path path;
  private final Forcing forcing;

  RecordedChannel(FileChannel real, PowerModel model, Path path, Forcing forcing) {
    this.real = real;
    this.model = model;
    this.path = path;
    this.forcing = forcing;
  }

  @Override
  public void force(boolean metaData) throws IOException {
    forcing.begin(); // the disk itself is not asked: what it would hold is on record
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    return real.read(target);
  }

  @Override
  public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
    return real.read(targets, offset, length);
  }

  @Override
  public int write(ByteBuffer source) throws IOException {
    return inHalves(source, real::write);
  }

  private interface Write {
    int run(ByteBuffer source) throws IOException;
  }

  /** A killed process may have written a part of what it wanted to. */
  private int inHalves(ByteBuffer source, Write write) throws IOException {
    int end = source.limit();
    int half = source.remaining() / 2;
    source.limit(source.position() + half);
    try {
      int written = half == 0 ? 0 : model.perform("write " + path, () -> write.run(source));
      if (written == half) {
        source.limit(end);
        written += model.perform("write the rest of " + path, () -> write.run(source));
      }
      return written;
    } finally {
      source.limit(end);
    }
  }

  @Override
  public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
    return real.write(sources, offset, length);
  }

  @Override
  public long position() throws IOException {
    return real.position();
  }

  @Override
  public FileChannel position(long position) throws IOException {
    real.position(position);
    return this;
  }

  @Override
  public long size() throws IOException {
    return real.size();
  }

  @Override
  public FileChannel truncate(long size) throws IOException {
    model.perform("truncate " + path, () -> real.truncate(size));
    return this;
  }

  @Override
  public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
    return real.transferTo(position, count, target);
  }

  @Override
  public long transferFrom(ReadableByteChannel source, long position, long count)
      throws IOException {
    return real.transferFrom(source, position, count);
  }

  @Override
  public int read(ByteBuffer target, long position) throws IOException {
    return real.read(target, position);
  }

  @Override
  public int write(ByteBuffer source, long position) throws IOException {
    int start = source.position();
    return inHalves(source, part -> real.write(part, position + part.position() - start));
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
    return real.map(mode, position, size);
  }

  @Override
  public FileLock lock(long position, long size, boolean shared) throws IOException {
    return real.lock(position, size, shared);
  }

  @Override
  public FileLock tryLock(long position, long size, boolean shared) throws IOException {
    return real.tryLock(position, size, shared);
  }

  @Override
  protected void implCloseChannel() throws IOException {
    real.close();
  }
}
