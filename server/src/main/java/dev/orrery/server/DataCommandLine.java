package dev.orrery.server;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** The command line of a subcommand that looks at a data directory. */
final class DataCommandLine {
  private static final String DATA = "--data";

  private final CommandSpec spec;
  private final @Nullable String dataDefault;

  /** What was given. */
  record Given(Path data, CommandLine.ParseResult options) {
    boolean has(String flag) {
      return options.hasMatchedOption(flag);
    }

    Path path(String option) {
      return Path.of(options.<String>matchedOptionValue(option, ""));
    }
  }

  /**
   * @param dataDefault null when the directory must be named
   */
  DataCommandLine(String name, String description, @Nullable String dataDefault) {
    this.dataDefault = dataDefault;
    this.spec = CommandSpec.create().name("orrery " + name).mixinStandardHelpOptions(true);
    spec.usageMessage().description(description);
    addDirectory(DATA, "The data directory.", dataDefault == null);
  }

  private void addDirectory(String name, String description, boolean isRequired) {
    spec.addOption(
        OptionSpec.builder(name)
            .paramLabel("<dir>")
            .type(String.class)
            .required(isRequired)
            .description(description)
            .build());
  }

  /** Adds another directory, which must be named. */
  DataCommandLine withDirectory(String name, String description) {
    addDirectory(name, description, true);
    return this;
  }

  /** Adds an option without a value. */
  DataCommandLine withFlag(String name, String description) {
    spec.addOption(OptionSpec.builder(name).description(description).build());
    return this;
  }

  /** What was given; null if help was asked for, which is printed then. */
  @Nullable Given parse(PrintStream out, String... arguments) {
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
    return new Given(Path.of(parsed.<String>matchedOptionValue(DATA, dataDefault)), parsed);
  }
}
