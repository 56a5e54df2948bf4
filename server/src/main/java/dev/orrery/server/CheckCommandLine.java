package dev.orrery.server;

import dev.orrery.server.query.QueryHooks;
import dev.orrery.storage.StorageException;
import dev.orrery.storage.chronicle.StoreCheck;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** {@code orrery check --data DIR}: verifies a store completely while no server has it. */
final class CheckCommandLine {
  static final String NAME = "check";
  private static final String DATA = "--data";

  private final PrintStream out;
  private final PrintStream err;

  CheckCommandLine(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  /** Returns 0 when all is well, 1 when there is a fault or the store cannot be checked. */
  int run(String... arguments) throws IOException {
    var commandLine = new CommandLine(spec()).setOut(new PrintWriter(out, true));
    CommandLine.ParseResult parsed;
    try {
      parsed = commandLine.parseArgs(arguments);
    } catch (ParameterException e) {
      throw new ConfigException(e.getMessage());
    }
    if (CommandLine.executeHelpRequest(parsed) != null) {
      return Main.STARTED;
    }
    System.setProperty("chronicle.announcer.disable", "true");
    return check(Path.of(parsed.<String>matchedOptionValue(DATA, "")));
  }

  private static CommandSpec spec() {
    var spec = CommandSpec.create().name("orrery " + NAME).mixinStandardHelpOptions(true);
    spec.usageMessage().description("Verifies a store completely. No server may have it open.");
    spec.addOption(
        OptionSpec.builder(DATA)
            .paramLabel("<dir>")
            .type(String.class)
            .required(true)
            .description("The data directory.")
            .build());
    return spec;
  }

  private int check(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      throw new IOException("there is no directory " + directory);
    }
    try (var lock = DataDirectory.open(new ServerConfig.Storage(directory, false))) {
      List<String> faults = new StoreCheck(lock.path(), new QueryHooks(), out::println).run();
      faults.forEach(err::println);
      out.println(faults.isEmpty() ? "The store is sound." : faults.size() + " faults found.");
      return faults.isEmpty() ? Main.STARTED : Main.FAILED;
    } catch (StorageException e) {
      throw new IOException(e.getMessage(), e);
    }
  }
}
