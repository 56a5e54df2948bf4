package dev.orrery.server.transfer.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.orrery.server.transfer.ImportState;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What an export, a salvage and an import leave is for its owner only. */
@EnabledOnOs({OS.LINUX, OS.MAC})
final class OutputFileTest {
  @TempDir private Path directory;

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void newFilesAndDirectoriesAreForTheirOwnerOnly() throws IOException {
    Path file = directory.resolve("dump/db/c.bson");
    try (var out = OutputFile.open(file, false)) {
      out.write("content".getBytes(StandardCharsets.UTF_8));
    }
    assertThat(file).hasContent("content");
    assertThat(mode(file)).isEqualTo("rw-------");
    assertThat(mode(file.getParent())).isEqualTo("rwx------");
    assertThat(mode(file.getParent().getParent())).isEqualTo("rwx------");
    try (var out = OutputFile.open(file, false)) {
      out.write("less".getBytes(StandardCharsets.UTF_8));
    }
    assertThat(file).hasContent("less");
  }

  @Test
  void soIsTheStateOfAnImport() throws IOException {
    Path file = directory.resolve("state");
    ImportState.open(file, "source").save("db.c", new ImportState.Entry(1, "ids", false));
    assertThat(mode(file)).isEqualTo("rw-------");
  }
}
