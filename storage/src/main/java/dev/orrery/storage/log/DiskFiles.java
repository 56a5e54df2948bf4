package dev.orrery.storage.log;

import dev.orrery.storage.PrivateFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/** The real file system. */
final class DiskFiles implements SegmentFiles {

  private static final boolean CAN_FORCE_DIRECTORIES =
      !System.getProperty("os.name").startsWith("Windows");

  @Override
  public SegmentFile open(Path path, boolean create) throws IOException {
    if (create) {
      PrivateFiles.createFile(path);
    }
    return new ChannelFile(path);
  }

  @Override
  public void delete(Path path) throws IOException {
    Files.deleteIfExists(path);
  }

  @Override
  public List<Path> list(Path directory) throws IOException {
    try (Stream<Path> paths = Files.list(directory)) {
      return paths.sorted().toList();
    }
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    if (CAN_FORCE_DIRECTORIES) {
      Interrupts.outlast(
          () -> {
            try (var channel = FileChannel.open(directory, StandardOpenOption.READ)) {
              channel.force(true);
            }
            return null;
          },
          () -> {});
    }
  }
}
