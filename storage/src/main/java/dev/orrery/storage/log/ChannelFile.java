package dev.orrery.storage.log;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** A file on disk, which an interrupted writer leaves open. */
final class ChannelFile implements SegmentFile {

  /*
   * A FileChannel closes itself when a thread is interrupted inside it, so a stray interrupt in
   * one client's thread would stop the log for all. Writes go to absolute offsets and can be
   * repeated, so they reopen the channel and go on, and the thread stays interrupted afterwards.
   * An fsync has a channel of its own, because the kernel reports an error of one only once: what
   * others do to their channel must not come between. The log forces the segment that it writes
   * from a thread that nobody interrupts, so there the loop below never turns.
   */

  private interface Action<T> {
    T run(FileChannel channel) throws IOException;
  }

  private Path path;
  private FileChannel forced;
  private FileChannel written;

  ChannelFile(Path path) throws IOException {
    this.path = path;
    this.forced = open();
    this.written = open();
  }

  private FileChannel open() throws IOException {
    return FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  private <T> T uninterrupted(Action<T> action) throws IOException {
    return Interrupts.outlast(() -> action.run(written), () -> written = open());
  }

  @Override
  public void write(ByteBuffer source, long offset) throws IOException {
    int start = source.position();
    uninterrupted(
        channel -> {
          while (source.hasRemaining()) {
            channel.write(source, offset + source.position() - start);
          }
          return null;
        });
  }

  @Override
  public int read(ByteBuffer target, long offset) throws IOException {
    return uninterrupted(channel -> channel.read(target, offset));
  }

  @Override
  public void resize(long bytes) throws IOException {
    // A channel can only grow by being written to, which takes a block, and there may be none.
    try (var file = new RandomAccessFile(path.toFile(), "rw")) {
      file.setLength(bytes);
    }
  }

  @Override
  public long size() throws IOException {
    return uninterrupted(FileChannel::size);
  }

  @Override
  public void rename(Path target) throws IOException {
    Files.move(path, target, StandardCopyOption.ATOMIC_MOVE);
    path = target;
  }

  @Override
  public void force() throws IOException {
    Interrupts.outlast(
        () -> {
          forced.force(false);
          return null;
        },
        () -> forced = open());
  }

  @Override
  public Mapping map(long bytes) throws IOException {
    return uninterrupted(channel -> new Mapping(channel.map(MapMode.READ_ONLY, 0, bytes)));
  }

  @Override
  public void close() throws IOException {
    try {
      written.close();
    } finally {
      forced.close();
    }
  }
}
