package dev.orrery.storage.power;

import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.spi.FileSystemProvider;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The real disk, with a {@link PowerModel} that hears of everything that matters to it. */
final class RecordedDisk extends FileSystemProvider {
  private final FileSystemProvider real;
  private final FileSystem fileSystem;
  private final PowerModel model;

  RecordedDisk(Path directory, PowerModel model) {
    this.real = directory.getFileSystem().provider();
    this.fileSystem = new RecordedFileSystem(this, directory.getFileSystem());
    this.model = model;
  }

  FileSystem fileSystem() {
    return fileSystem;
  }

  private static Path real(Path path) {
    return RecordedPath.real(path);
  }

  @Override
  public FileChannel newFileChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    Path target = real(path);
    if (Files.isDirectory(target)) {
      var channel = real.newFileChannel(target, options, attributes);
      return new RecordedChannel(channel, model, target, () -> model.forceDirectory(target));
    }
    if (!options.contains(StandardOpenOption.WRITE)) {
      return real.newFileChannel(target, options, attributes);
    }
    return model.perform(
        "open " + target,
        () -> {
          boolean isNew = options.contains(StandardOpenOption.CREATE_NEW) || !Files.exists(target);
          var channel = real.newFileChannel(target, options, attributes);
          PowerModel.Inode inode = isNew ? model.create(target) : model.find(target);
          return new RecordedChannel(channel, model, target, () -> model.force(inode));
        });
  }

  @Override
  public SeekableByteChannel newByteChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    return newFileChannel(path, options, attributes);
  }

  @Override
  public void delete(Path path) throws IOException {
    model.perform( // what has which name must not change in the midst of a cut
        "delete " + path,
        () -> {
          real.delete(real(path));
          model.delete(real(path));
          return null;
        });
  }

  @Override
  public void move(Path source, Path target, CopyOption... options) throws IOException {
    model.perform(
        "move " + source + " to " + target.getFileName(),
        () -> {
          real.move(real(source), real(target), options);
          model.move(real(source), real(target));
          return null;
        });
  }

  @Override
  public void createDirectory(Path directory, FileAttribute<?>... attributes) throws IOException {
    model.perform(
        "create " + directory,
        () -> {
          real.createDirectory(real(directory), attributes);
          return null;
        });
  }

  @Override
  public DirectoryStream<Path> newDirectoryStream(
      Path directory, DirectoryStream.Filter<? super Path> filter) throws IOException {
    List<Path> entries = new ArrayList<>();
    try (var stream = real.newDirectoryStream(real(directory), path -> true)) {
      for (Path entry : stream) {
        Path wrapped = new RecordedPath(this, entry);
        if (filter.accept(wrapped)) {
          entries.add(wrapped);
        }
      }
    }
    return new DirectoryStream<>() {
      @Override
      public Iterator<Path> iterator() {
        return entries.iterator();
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public boolean isSameFile(Path left, Path right) throws IOException {
    return real.isSameFile(real(left), real(right));
  }

  @Override
  public boolean isHidden(Path path) throws IOException {
    return real.isHidden(real(path));
  }

  @Override
  public FileStore getFileStore(Path path) throws IOException {
    return real.getFileStore(real(path));
  }

  @Override
  public void checkAccess(Path path, AccessMode... modes) throws IOException {
    real.checkAccess(real(path), modes);
  }

  @Override
  public <V extends FileAttributeView> V getFileAttributeView(
      Path path, Class<V> type, LinkOption... options) {
    return real.getFileAttributeView(real(path), type, options);
  }

  @Override
  public <A extends BasicFileAttributes> A readAttributes(
      Path path, Class<A> type, LinkOption... options) throws IOException {
    return real.readAttributes(real(path), type, options);
  }

  @Override
  public Map<String, Object> readAttributes(Path path, String names, LinkOption... options)
      throws IOException {
    return real.readAttributes(real(path), names, options);
  }

  @Override
  public void setAttribute(Path path, String name, Object value, LinkOption... options)
      throws IOException {
    real.setAttribute(real(path), name, value, options);
  }

  @Override
  public void copy(Path source, Path target, CopyOption... options) {
    throw new UnsupportedOperationException();
  }

  @Override
  public String getScheme() {
    return "recorded";
  }

  @Override
  public FileSystem newFileSystem(URI uri, Map<String, ?> environment) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileSystem getFileSystem(URI uri) {
    return fileSystem;
  }

  @Override
  public Path getPath(URI uri) {
    return new RecordedPath(this, Path.of(uri));
  }
}
