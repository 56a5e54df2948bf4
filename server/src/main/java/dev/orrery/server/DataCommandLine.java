package dev.orrery.server;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** The command line of a subcommand that looks at a data directory and has no other option. */
final class DataCommandLine {
  private static final String DATA = "--data";

  private final CommandSpec spec;
  private final @Nullable String dataDefault;

  /**
   * @param dataDefault null when the directory must be named
   */
  DataCommandLine(String name, String description, @Nullable String dataDefault) {
    this.dataDefault = dataDefault;
    this.spec = CommandSpec.create().name("orrery " + name).mixinStandardHelpOptions(true);
    spec.usageMessage().description(description);
    spec.addOption(
        OptionSpec.builder(DATA)
            .paramLabel("<dir>")
            .type(String.class)
            .required(dataDefault == null)
            .description("The data directory.")
            .build());
  }

  /** The directory; null if help was asked for, which is printed then. */
  @Nullable Path parse(PrintStream out, String... arguments) {
    var commandLine = new CommandLine(spec).setOut(new PrintWriter(out, true));
    CommandLine.ParseResult parsed;
    try {
      parsed = commandLine.parseArgs(arguments);
    } catch (ParameterException e) {
      throw new ConfigException(e.getMessage());
    }
    if (CommandLine.executeHelpRequest(parsed) != null) {
      return null;
    }
    return Path.of(parsed.<String>matchedOptionValue(DATA, dataDefault));
  }
}
