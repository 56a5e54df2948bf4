package dev.orrery.storage.physical;

import dev.orrery.storage.log.Log;
import dev.orrery.storage.log.LogOptions;
import dev.orrery.storage.log.RecordGroup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A log for all runs of a test, in the directory in which the test runs. */
final class StressLog {
  static final Log LOG = open();

  private StressLog() {}

  private static Log open() {
    try {
      Path directory = Files.createTempDirectory(Path.of(""), "log");
      return Log.open(directory, LogOptions.defaults().withFsync(false));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static RecordGroup group() {
    return new RecordGroup().add((byte) 1, new byte[] {1}, new byte[] {2});
  }
}
