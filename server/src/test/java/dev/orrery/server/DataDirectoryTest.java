package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.orrery.server.cursor.SpillDirectory;
import dev.orrery.storage.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DataDirectoryTest {
  @TempDir private Path directory;

  @Test
  void aMissingDirectoryIsCreatedAndKept() throws IOException {
    Path path = directory.resolve("a/b");
    try (var data = open(path)) {
      assertThat(data.path()).isEqualTo(path);
    }
    assertThat(path).isDirectory();
  }

  @Test
  void aSecondServerIsRefusedUntilTheFirstIsGone() throws IOException {
    try (var first = open(directory)) {
      assertThatThrownBy(() -> open(first.path()))
          .isInstanceOf(IOException.class)
          .hasMessage("the data directory " + directory + " is in use by another Orrery server");
    }
    open(directory).close();
  }

  @Test
  void aFileIsNoDirectory() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    assertThatThrownBy(() -> open(file))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("cannot create the data directory " + file);
  }

  @Test
  void anEphemeralDirectoryIsElsewhereAndRemovedAtTheEnd() throws IOException {
    Path path;
    try (var data = DataDirectory.open(new ServerConfig.Storage(directory.resolve("x"), true))) {
      path = data.path();
      Files.createDirectories(path.resolve("deep/er"));
      Files.writeString(path.resolve("deep/er/file"), "content");
    }
    assertThat(path).doesNotExist();
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void anOpenDirectoryIsClosedToOthersWithAllThatIsInIt() throws IOException {
    Path data = Files.createDirectories(directory.resolve("data"));
    Path log = Files.createDirectories(directory.resolve("disk2"));
    Files.createSymbolicLink(data.resolve("log"), log);
    Path outside = Files.createFile(directory.resolve("outside"));
    Files.createSymbolicLink(data.resolve("link"), outside);
    Path inner = Files.createDirectories(data.resolve("partitions/1-0"));
    Path file = Files.createFile(inner.resolve("slots"));
    Path segment = Files.createFile(log.resolve("0000000000000001.log"));
    for (Path path : List.of(data, log, outside, inner, inner.getParent(), file, segment)) {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwxrwx"));
    }
    open(data).close();
    for (Path path : List.of(data, log, inner, inner.getParent(), file, segment)) {
      assertThat(PrivateFiles.isOpenToOthers(path)).as(path.toString()).isFalse();
    }
    assertThat(PrivateFiles.isOpenToOthers(outside)).isTrue();
  }

  @Test
  void whatDoesNotFitIntoMemoryCanBeElsewhere() throws IOException {
    Path elsewhere = directory.resolve("scratch");
    Path first;
    try (var one = open(directory.resolve("one"), elsewhere);
        var two = open(directory.resolve("two"), elsewhere)) {
      first = one.temporary();
      assertThat(first).hasParentRaw(elsewhere).isNotEqualTo(two.temporary());
      new SpillDirectory(first).create("sort");
      new SpillDirectory(two.temporary()).create("sort");
      assertThat(first).isDirectoryContaining("glob:**.spill");
      assertThat(PrivateFiles.isOpenToOthers(first)).isFalse();
    }
    assertThat(elsewhere).as("removed at the end").isEmptyDirectory();
    Files.createDirectories(first);
    Path left = Files.createFile(first.resolve("left.spill"));
    try (var again = open(directory.resolve("one"), elsewhere)) {
      assertThat(again.temporary()).isEqualTo(first);
      assertThat(left).as("left by a server that was killed").doesNotExist();
    }
    assertThat(directory.resolve("one/tmp")).doesNotExist();
  }

  private static DataDirectory open(Path path, Path temporary) throws IOException {
    return DataDirectory.open(
        new ServerConfig.Storage(path, false, ChangeRetention.OFF, null, temporary));
  }

  private static DataDirectory open(Path path) throws IOException {
    return DataDirectory.open(new ServerConfig.Storage(path, false));
  }
}
