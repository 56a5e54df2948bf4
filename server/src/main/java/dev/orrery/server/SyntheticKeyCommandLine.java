package dev.orrery.server;

import dev.orrery.language.error.CommandException;
import dev.orrery.server.synthetic.ClientCode;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.bson.BsonInvalidOperationException;
import org.bson.json.JsonParseException;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * {@code orrery synthetic-key}: prints the lines by which a client computes a partition key as the
 * server would, for real accounts, where no server does.
 */
final class SyntheticKeyCommandLine {
  static final String NAME = "synthetic-key";
  private static final String LANGUAGE = "--language";
  private static final String LANGUAGES =
      Arrays.stream(ClientCode.values())
          .map(ClientCode::languageName)
          .collect(Collectors.joining(", "));

  private final PrintStream out;

  SyntheticKeyCommandLine(PrintStream out) {
    this.out = out;
  }

  int run(String... arguments) throws IOException {
    var commandLine = new CommandLine(spec()).setOut(new PrintWriter(out, true));
    ParseResult parsed;
    try {
      parsed = commandLine.parseArgs(arguments);
    } catch (ParameterException e) {
      throw new ConfigException(e.getMessage());
    }
    if (CommandLine.executeHelpRequest(parsed) != null) {
      return Main.STARTED;
    }
    ClientCode language = language(parsed.matchedOptionValue(LANGUAGE, ""));
    try {
      out.print(language.print(BsonDocument.parse(parsed.matchedPositionalValue(0, ""))));
    } catch (JsonParseException | BsonInvalidOperationException | CommandException e) {
      throw new ConfigException("no such key: " + e.getMessage());
    }
    out.flush();
    return Main.STARTED;
  }

  private static CommandSpec spec() {
    var spec = CommandSpec.create().name("orrery " + NAME).mixinStandardHelpOptions(true);
    spec.usageMessage()
        .description(
            "Prints the lines by which a client computes a synthetic shard key as the server does.")
        .width(100);
    spec.addOption(
        OptionSpec.builder(LANGUAGE)
            .type(String.class)
            .required(true)
            .paramLabel("<language>")
            .description("One of " + LANGUAGES + ".")
            .build());
    spec.addPositional(
        PositionalParamSpec.builder()
            .index("0")
            .type(String.class)
            .arity("1")
            .paramLabel("<definition>")
            .description(
                "The field and its expression, as shardCollection takes them in 'synthetic', such"
                    + " as '{pk: {$$concat: [\"$$a\", \"-\", \"$$b\"]}}'.")
            .build());
    return spec;
  }

  private static ClientCode language(String name) {
    return Arrays.stream(ClientCode.values())
        .filter(one -> one.languageName().equals(name))
        .findFirst()
        .orElseThrow(
            () -> new ConfigException("the language is one of " + LANGUAGES + ", not " + name));
  }
}
