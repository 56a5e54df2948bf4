package dev.orrery.storage.log;

import dev.orrery.storage.PrivateFiles;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.StorageException.Reason;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;

/** Keeps a second process, and a second log in this one, out of a directory. */
final class DirectoryLock implements Closeable {

  static final String FILE_NAME = "lock";

  private final FileChannel channel;

  private DirectoryLock(FileChannel channel) {
    this.channel = channel;
  }

  static DirectoryLock acquire(Path directory) throws IOException {
    Path path = directory.resolve(FILE_NAME);
    FileChannel channel = PrivateFiles.openOrCreate(path);
    FileLock lock = null;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException e) {
      // This process has it: the same answer as for another one.
    } finally {
      if (lock == null) {
        channel.close();
      }
    }
    if (lock == null) {
      throw new StorageException(Reason.UNUSABLE, directory + " is in use: " + path + " is held");
    }
    return new DirectoryLock(channel);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
