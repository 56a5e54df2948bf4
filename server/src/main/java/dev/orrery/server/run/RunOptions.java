package dev.orrery.server.run;

import dev.orrery.server.transfer.source.UsageException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * What {@code orrery run} is told.
 *
 * @param variables names under which the command finds the address of the server
 * @param server options of the server itself
 * @param budgets null without budgets
 * @param records whether the budgets are recorded anew
 * @param updates whether what costs something else now is accepted
 */
record RunOptions(
    List<String> command,
    List<String> variables,
    List<String> server,
    List<Path> init,
    List<Path> reports,
    @Nullable Path budgets,
    boolean records,
    boolean updates,
    boolean isQuiet) {
  static final List<String> VARIABLES =
      List.of("MONGODB_URI", "MONGO_URL", "COSMOSDB_CONNECTION_STRING", "ORRERY_URI");

  private static final String COMMAND = "--";

  private static CommandLine table() {
    var spec = CommandSpec.create().name("orrery run").mixinStandardHelpOptions(true);
    spec.usageMessage()
        .description(
            "Runs a command with a server of its own, on a free port and with a store that is gone"
                + " afterwards, and tells what the command spent.")
        .customSynopsis("orrery run [options] [options of the server] -- COMMAND [ARGUMENTS]")
        .footer("Options of the server, such as --profile cosmos, are those of 'orrery --help'.")
        .width(100);
    spec.addOption(
        list("--env", "<name>", "A variable for the server's address, instead of " + VARIABLES));
    spec.addOption(
        list("--init", "<file>", "A dump, an archive or a script (.js) to load first; repeatable"));
    spec.addOption(
        list("--report", "<file>", "Where to write a report: .json, .md or .xml; repeatable"));
    spec.addOption(
        OptionSpec.builder("--budgets")
            .paramLabel("<file>")
            .type(String.class)
            .description("A file (JSON, or YAML) with what things may cost.")
            .build());
    spec.addOption(flag("--record-budgets", "Write down in it what each shape costs now."));
    spec.addOption(flag("--update", "Accept there what costs more, or less, or is new."));
    spec.addOption(flag("--quiet", "Print no summary."));
    return new CommandLine(spec).setUnmatchedArgumentsAllowed(true);
  }

  private static OptionSpec list(String name, String label, String description) {
    return OptionSpec.builder(name)
        .paramLabel(label)
        .type(List.class)
        .auxiliaryTypes(String.class)
        .description(description + ".")
        .build();
  }

  private static OptionSpec flag(String name, String description) {
    return OptionSpec.builder(name).description(description).build();
  }

  /** What was given; null if help was asked for, which is printed then. */
  static @Nullable RunOptions parse(PrintStream out, String... arguments) {
    List<String> all = Arrays.asList(arguments);
    int end = all.indexOf(COMMAND);
    List<String> own = end < 0 ? all : all.subList(0, end);
    List<String> command = end < 0 ? List.of() : all.subList(end + 1, all.size());
    CommandLine table = table().setOut(new PrintWriter(out, true));
    ParseResult parsed;
    try {
      parsed = table.parseArgs(own.toArray(String[]::new));
    } catch (ParameterException e) {
      throw new UsageException(e.getMessage() + ".");
    }
    if (CommandLine.executeHelpRequest(parsed) != null) {
      return null;
    }
    if (command.isEmpty()) {
      throw new UsageException("no command: it stands behind --.");
    }
    return of(parsed, command);
  }

  private static RunOptions of(ParseResult parsed, List<String> command) {
    String budgets = parsed.matchedOptionValue("--budgets", (String) null);
    boolean records = parsed.hasMatchedOption("--record-budgets");
    boolean updates = parsed.hasMatchedOption("--update");
    if (budgets == null && (records || updates)) {
      throw new UsageException("--record-budgets and --update need --budgets FILE.");
    }
    var reports = paths(parsed, "--report");
    reports.forEach(ReportFile::requireKnown);
    return new RunOptions(
        List.copyOf(command),
        parsed.matchedOptionValue("--env", VARIABLES),
        List.copyOf(parsed.unmatched()),
        paths(parsed, "--init"),
        reports,
        budgets == null ? null : Path.of(budgets),
        records,
        updates,
        parsed.hasMatchedOption("--quiet"));
  }

  private static List<Path> paths(ParseResult parsed, String option) {
    var paths = new ArrayList<Path>();
    parsed
        .<List<String>>matchedOptionValue(option, List.of())
        .forEach(text -> paths.add(Path.of(text)));
    return paths;
  }

  /** What the command finds in its environment. */
  Map<String, String> environment(String uri) {
    var environment = new LinkedHashMap<String, String>();
    variables.forEach(name -> environment.put(name, uri));
    return environment;
  }
}
