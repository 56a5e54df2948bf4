package dev.orrery.server;

import dev.orrery.server.store.QueryHooks;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.engine.StoreCheck;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * {@code orrery check --data DIR}: verifies a store completely while no server has it, and with
 * {@code --repair} makes anew what can be made from its documents.
 */
final class CheckCommandLine {
  static final String NAME = "check";
  private static final String REPAIR = "--repair";

  private final PrintStream out;
  private final PrintStream err;

  CheckCommandLine(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  /** Returns 0 when all is well, 1 when there is a fault or the store cannot be checked. */
  int run(String... arguments) throws IOException {
    var line =
        new DataCommandLine(NAME, "Verifies a store completely. No server may have it open.", null)
            .withFlag(REPAIR, "Make anew what disagrees with the documents, as indexes.");
    DataCommandLine.Given given = line.parse(out, arguments);
    if (given == null) {
      return Main.STARTED;
    }
    System.setProperty("chronicle.announcer.disable", "true");
    return check(given.data(), given.has(REPAIR));
  }

  private int check(Path directory, boolean isRepairing) throws IOException {
    if (!Files.isDirectory(directory)) {
      throw new IOException("there is no directory " + directory);
    }
    try (var lock = DataDirectory.open(new ServerConfig.Storage(directory, false))) {
      List<String> faults =
          new StoreCheck(lock.path(), new QueryHooks(), out::println, isRepairing).run();
      faults.forEach(err::println);
      out.println(faults.isEmpty() ? "The store is sound." : faults.size() + " faults found.");
      return faults.isEmpty() ? Main.STARTED : Main.FAILED;
    } catch (StorageException e) {
      throw new IOException(e.getMessage(), e);
    }
  }
}
