package dev.orrery.server.transfer;

import dev.orrery.server.transfer.source.UsageException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** The options of a subcommand, declared one by one and then read by their names. */
final class OptionTable {
  private static final String POSITION = "0..*";

  private final CommandSpec spec;

  OptionTable(String name, String... description) {
    spec = CommandSpec.create().name("orrery " + name).mixinStandardHelpOptions(true);
    spec.usageMessage().description(description).sortOptions(true).width(100);
  }

  OptionTable flag(String names, String doc) {
    spec.addOption(option(names, doc).arity("0").type(boolean.class).build());
    return this;
  }

  OptionTable text(String names, String label, String doc) {
    spec.addOption(option(names, doc).type(String.class).paramLabel(label).build());
    return this;
  }

  /** An option whose value may be left out; it is {@code -} then. */
  OptionTable optionalText(String names, String label, String doc) {
    spec.addOption(
        option(names, doc)
            .type(String.class)
            .arity("0..1")
            .fallbackValue("-")
            .paramLabel(label)
            .build());
    return this;
  }

  /** An option that may be given several times. */
  OptionTable texts(String names, String label, String doc) {
    spec.addOption(
        option(names, doc).type(List.class).auxiliaryTypes(String.class).paramLabel(label).build());
    return this;
  }

  OptionTable parameter(String label, String doc) {
    spec.addPositional(
        PositionalParamSpec.builder()
            .index(POSITION)
            .type(List.class)
            .auxiliaryTypes(String.class)
            .arity("0..1")
            .paramLabel(label)
            .description(doc)
            .build());
    return this;
  }

  private static OptionSpec.Builder option(String names, String doc) {
    String[] all = names.split(" ");
    return OptionSpec.builder(all).description(doc);
  }

  /** Reads a command line; null if it asked for help, which is printed then. */
  @Nullable Values parse(PrintStream out, String... arguments) {
    var commandLine = new CommandLine(spec).setOut(new PrintWriter(out, true));
    ParseResult parsed;
    try {
      parsed = commandLine.parseArgs(arguments);
    } catch (ParameterException e) {
      throw new UsageException(e.getMessage());
    }
    return CommandLine.executeHelpRequest(parsed) != null ? null : new Values(parsed);
  }

  /** What was given. */
  static final class Values {
    private final ParseResult parsed;

    Values(ParseResult parsed) {
      this.parsed = parsed;
    }

    boolean has(String name) {
      return parsed.hasMatchedOption(name);
    }

    @Nullable String find(String name) {
      return parsed.matchedOptionValue(name, null);
    }

    String text(String name, String fallback) {
      return parsed.matchedOptionValue(name, fallback);
    }

    List<String> texts(String name) {
      return parsed.matchedOptionValue(name, List.of());
    }

    /** The parts of a text that has commas between them. */
    List<String> list(String name) {
      String text = find(name);
      return text == null || text.isEmpty() ? List.of() : List.of(text.split(",", -1));
    }

    int number(String name, int fallback, int min, int max) {
      String text = find(name);
      if (text == null) {
        return fallback;
      }
      try {
        int number = Integer.parseInt(text);
        if (number >= min && number <= max) {
          return number;
        }
      } catch (NumberFormatException e) {
        // told below, together with numbers out of range
      }
      throw new UsageException(
          "%s is a number from %d to %d, not %s".formatted(name, min, max, text));
    }

    List<String> parameters() {
      return parsed.matchedPositionalValue(0, List.of());
    }
  }
}
