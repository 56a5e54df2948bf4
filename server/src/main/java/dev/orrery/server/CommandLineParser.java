package dev.orrery.server;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command line, made from the configuration keys: one option each, and one for all limits. */
final class CommandLineParser {
  private static final String CONFIG = "--config";
  private static final String LIMIT = "--limit";

  private final CommandLine commandLine;

  CommandLineParser(String version, PrintStream out) {
    var spec =
        CommandSpec.create()
            .name("orrery")
            .version("Orrery " + version)
            .mixinStandardHelpOptions(true);
    spec.usageMessage()
        .description(
            "A MongoDB-wire-protocol server that behaves like Azure Cosmos DB for MongoDB.")
        .footer(
            "'orrery certificate --data <dir>' prints the certificate that --tls made.%n"
                + "'orrery check --data <dir>' verifies a store that no server has open; --repair"
                + " mends what can be mended.%n"
                + "'orrery salvage --data <dir> --out <dir>' copies what can be read out of a"
                + " damaged store.%n"
                + "'orrery import' and 'orrery export' move data from and to files and dumps of"
                + " MongoDB; --help after each lists its options.%n"
                + "'orrery tail' prints what is changed, one event in each line.%n"
                + "'orrery record' records the requests that a server gets, 'orrery replay' sends them"
                + " again, 'orrery advise' says which partition key they want.%n"
                + "'orrery run -- COMMAND' runs a command with a server of its own, and tells what it"
                + " spent.%n"
                + "'orrery synthetic-key' prints how clients compute a key that the server would make"
                + " here.%n"
                + "Each option can also be set in the environment (--console-port is"
                + " ORRERY_CONSOLE_PORT) and in the file given with --config (console-port=...).")
        .sortOptions(true)
        .width(100);
    for (ConfigKey key : ConfigKey.values()) {
      if (!key.isLimit()) {
        spec.addOption(option(key));
      }
    }
    spec.addOption(
        OptionSpec.builder(LIMIT)
            .paramLabel("<name>=<value>")
            .type(List.class)
            .auxiliaryTypes(String.class)
            .description("A limit, may be repeated:%n" + limitDocs())
            .build());
    spec.addOption(
        OptionSpec.builder(CONFIG)
            .paramLabel("<file>")
            .type(String.class)
            .description("A properties file with settings.")
            .build());
    commandLine = new CommandLine(spec).setOut(new PrintWriter(out, true));
  }

  /**
   * Reads the arguments; help and version are asked of the result.
   *
   * @throws ConfigException if they are not allowed
   */
  ParseResult parse(String... arguments) {
    try {
      return commandLine.parseArgs(arguments);
    } catch (UnmatchedArgumentException e) {
      String all =
          commandLine.getCommandSpec().options().stream()
              .map(OptionSpec::longestName)
              .sorted()
              .collect(Collectors.joining(", "));
      String unknown = String.join(", ", e.getUnmatched());
      throw new ConfigException("unknown option " + unknown + "; known are: " + all);
    } catch (ParameterException e) {
      throw new ConfigException(e.getMessage());
    }
  }

  /** Prints what was asked for instead of a start, if anything was. */
  boolean printHelp(ParseResult arguments) {
    return CommandLine.executeHelpRequest(arguments) != null;
  }

  static ServerConfig config(ParseResult arguments, Map<String, String> environment) {
    var sources = new ConfigSources();
    String file =
        arguments.matchedOptionValue(CONFIG, environment.get(ConfigSources.CONFIG_FILE_VARIABLE));
    if (file != null) {
      sources.withFile(Path.of(file));
    }
    sources.withEnvironment(environment);
    for (ConfigKey key : ConfigKey.values()) {
      String name = "--" + key.key();
      if (arguments.hasMatchedOption(name)) {
        if (key == ConfigKey.STORE_PASSWORD) {
          throw new ConfigException(
              "everybody can read a command line: give the password by "
                  + key.environmentName()
                  + " or --"
                  + ConfigKey.STORE_PASSWORD_FILE.key());
        }
        Object value = arguments.matchedOption(name).getValue();
        sources.with(key, name, value.toString());
      }
    }
    List<String> limits = arguments.matchedOptionValue(LIMIT, List.of());
    limits.forEach(sources::withLimit);
    return ServerConfig.parse(sources);
  }

  private static OptionSpec option(ConfigKey key) {
    var option =
        OptionSpec.builder("--" + key.key())
            .description(key.doc() + " Default: " + key.defaultValue());
    return switch (key) {
      case AUTH, EPHEMERAL, INSECURE, TEST_COMMANDS, TLS, TLS_ONLY ->
          option.type(boolean.class).arity("0").description(key.doc()).build();
      case STORE, STORE_PASSWORD ->
          option
              .type(String.class)
              .paramLabel("<" + key.key() + ">")
              .hidden(key == ConfigKey.STORE_PASSWORD)
              .description(key.doc())
              .build();
      case STORE_PASSWORD_FILE, TLS_CA, TLS_CERT, TLS_KEY ->
          option.type(String.class).paramLabel("<file>").description(key.doc()).build();
      case TEMPORARY ->
          option.type(String.class).paramLabel("<directory>").description(key.doc()).build();
      default -> option.type(String.class).paramLabel("<" + key.key() + ">").build();
    };
  }

  private static String limitDocs() {
    var docs = new StringBuilder();
    for (ConfigKey key : ConfigKey.values()) {
      if (key.isLimit()) {
        docs.append(key.limitName()).append(": ").append(key.doc());
        docs.append(" Default: ").append(key.defaultValue()).append("%n");
      }
    }
    return docs.toString();
  }
}
