package dev.orrery.storage.physical;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What files occupy is added up while collections come and go. */
final class DiskSpaceTest {
  private static final int FOLDERS = 500;

  @TempDir Path directory;

  @Test
  void addsUpTheFilesOfAllFolders() throws IOException {
    Files.write(directory.resolve("a"), new byte[10]);
    Files.write(Files.createDirectory(directory.resolve("folder")).resolve("b"), new byte[20]);
    assertThat(DiskSpace.usedBytes(directory)).isEqualTo(30);
  }

  @Test
  void leavesOutWhatIsDeletedMeanwhile() throws IOException {
    Files.write(directory.resolve("kept"), new byte[10]);
    var others = CompletableFuture.runAsync(this::createAndDelete);
    do {
      assertThat(DiskSpace.usedBytes(directory)).isGreaterThanOrEqualTo(10);
    } while (!others.isDone());
    others.join();
    assertThat(DiskSpace.usedBytes(directory)).isEqualTo(10);
  }

  private void createAndDelete() {
    try {
      for (int i = 0; i < FOLDERS; i++) {
        Path folder = Files.createDirectory(directory.resolve("folder" + i));
        Path file = Files.write(folder.resolve("file"), new byte[1]);
        Files.delete(file);
        Files.delete(folder);
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
