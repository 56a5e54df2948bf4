package dev.orrery.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

  private static DataDirectory open(Path path) throws IOException {
    return DataDirectory.open(new ServerConfig.Storage(path, false));
  }
}
