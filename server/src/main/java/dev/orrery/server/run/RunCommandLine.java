package dev.orrery.server.run;

import dev.orrery.server.ledger.CostScope;
import dev.orrery.server.ledger.Costs;
import dev.orrery.server.ledger.Ledgers;
import dev.orrery.server.transfer.source.Console;
import dev.orrery.server.transfer.source.UsageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code orrery run [options] -- COMMAND ARGUMENTS}: runs a command with a server of its own, and
 * tells what it spent.
 */
public final class RunCommandLine {
  public static final String NAME = "run";

  /** The command was content, a budget is exceeded. */
  static final int OVER_BUDGET = 3;

  private static final int MISUSED = 2;
  private static final String LEDGER = "orrery run";

  private final Console console;
  private final Launcher launcher;

  /** Starts servers. */
  @FunctionalInterface
  public interface Launcher {
    /**
     * @param arguments those of a server's command line
     */
    Server start(List<String> arguments) throws IOException;
  }

  /**
   * A server that serves.
   *
   * @param stop ends it
   */
  public record Server(String uri, Ledgers ledgers, Runnable stop) implements AutoCloseable {
    @Override
    public void close() {
      stop.run();
    }
  }

  public RunCommandLine(Console console, Launcher launcher) {
    this.console = console;
    this.launcher = launcher;
  }

  /**
   * Returns the exit code of the command; 3 when it was content and a budget is exceeded, 2 when
   * the options make no sense, 127 when the command cannot be started.
   */
  public int run(String... arguments) throws IOException {
    try {
      RunOptions options = RunOptions.parse(console.out(), arguments);
      return options == null ? 0 : run(options);
    } catch (UsageException e) {
      console.err().println("orrery run: " + e.getMessage() + " Try --help.");
      return MISUSED;
    }
  }

  private int run(RunOptions options) throws IOException {
    BudgetFile budgets = budgets(options);
    var child = new ChildProcess(console.err());
    int code = ChildProcess.FAILED;
    try {
      code = report(options, serve(options, budgets, child));
    } finally {
      child.ended(code); // not before the server is gone
    }
    return code;
  }

  private static @Nullable BudgetFile budgets(RunOptions options) throws IOException {
    if (options.budgets() == null) {
      return null;
    }
    boolean mayBeMissing = options.records() || options.updates();
    return mayBeMissing
        ? BudgetFile.readOrEmpty(options.budgets())
        : BudgetFile.read(options.budgets());
  }

  private RunResult serve(RunOptions options, @Nullable BudgetFile budgets, ChildProcess child)
      throws IOException {
    try (Server server = launcher.start(options.server())) {
      for (Path file : options.init()) {
        if (new InitialData(console, server.uri()).load(file) != 0) {
          throw new IOException(file + " could not be loaded");
        }
      }
      server.ledgers().open(LEDGER, new CostScope.All());
      int code = child.run(options.command(), options.environment(server.uri()));
      Costs costs = server.ledgers().close(LEDGER);
      return new RunResult(code, costs, budgets == null ? List.of() : budgets.check(costs));
    }
  }

  private int report(RunOptions options, RunResult result) throws IOException {
    boolean isAccepted = options.records() || options.updates();
    RunResult told = isAccepted ? result.withoutRecorded() : result;
    if (isAccepted) {
      Path file = options.budgets();
      BudgetFile.readOrEmpty(file).record(result.costs(), options.updates()).write(file);
    }
    if (!options.isQuiet()) {
      new TextReport(console.err()).print(told);
    }
    for (Path file : options.reports()) {
      ReportFile.write(file, told);
    }
    boolean isOver = told.verdicts().stream().anyMatch(BudgetVerdict::isExceeded);
    return told.exitCode() == 0 && isOver ? OVER_BUDGET : told.exitCode();
  }
}
