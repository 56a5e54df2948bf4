package dev.orrery.server.transfer;

import dev.orrery.server.transfer.replay.Replay;
import dev.orrery.server.transfer.replay.ReplayResult;
import dev.orrery.server.transfer.source.Console;
import dev.orrery.server.transfer.source.UsageException;
import dev.orrery.server.workload.WorkloadReader;
import dev.orrery.value.Namespace;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** {@code orrery replay}: from a command line to requests that are sent again. */
public final class ReplayCommandLine {
  public static final String NAME = "replay";
  private static final int LANES = 16;
  private static final double SPEED_MAX = 1_000_000;

  private final Console console;

  public ReplayCommandLine(Console console) {
    this.console = console;
  }

  private static OptionTable table() {
    return new OptionTable(
            NAME,
            "Sends the requests of a recorded workload again, when their time has come, and tells"
                + " what became of them.")
        .parameter("<file>", "What orrery record wrote.")
        .text("--uri", "<uri>", "The server. Default: " + ImportCommandLine.DEFAULT_URI)
        .text(
            "--speed",
            "<factor>",
            "2 for twice as fast as it was recorded, 0 for as fast as it goes. Default: 1")
        .text("--lanes", "<n>", "How many requests may run at a time. Default: " + LANES)
        .texts("--ns", "<from=to>", "Sends what was for db.collection to another one.");
  }

  /** Returns 0 when all was sent, 1 when it failed, 2 for bad options. */
  public int run(String... arguments) {
    return CommandLines.run(console, NAME, () -> runChecked(arguments));
  }

  private int runChecked(String... arguments) throws IOException {
    OptionTable.Values values = table().parse(console.out(), arguments);
    if (values == null) {
      return CommandLines.DONE;
    }
    if (values.parameters().isEmpty()) {
      throw new UsageException("say which file to replay");
    }
    var settings =
        new Replay.Settings(
            speed(values.text("--speed", "1")),
            values.number("--lanes", LANES, 1, 1_000),
            renamed(values));
    String uri = values.text("--uri", ImportCommandLine.DEFAULT_URI);
    Path file = Path.of(values.parameters().get(0));
    try (var workload = new WorkloadReader(new BufferedInputStream(Files.newInputStream(file)));
        var server = TransferServer.connect(uri, "orrery replay")) {
      tell(new Replay(server.client(), settings).run(workload), workload);
    }
    return CommandLines.DONE;
  }

  private static double speed(String text) {
    try {
      double speed = Double.parseDouble(text);
      if (speed >= 0 && speed <= SPEED_MAX) {
        return speed;
      }
    } catch (NumberFormatException e) {
      // told below, together with numbers out of range
    }
    throw new UsageException("--speed is a number from 0 to 1000000, not " + text);
  }

  private static Map<Namespace, Namespace> renamed(OptionTable.Values values) {
    var renamed = new HashMap<Namespace, Namespace>();
    for (String pair : values.texts("--ns")) {
      String[] sides = pair.split("=", -1);
      if (sides.length != 2) {
        throw new UsageException("--ns is db.collection=db.collection, not " + pair);
      }
      renamed.put(namespace(sides[0]), namespace(sides[1]));
    }
    return renamed;
  }

  private static Namespace namespace(String text) {
    int dot = text.indexOf('.');
    if (dot <= 0 || dot == text.length() - 1) {
      throw new UsageException("this is no db.collection: " + text);
    }
    return new Namespace(text.substring(0, dot), text.substring(dot + 1));
  }

  private void tell(ReplayResult result, WorkloadReader workload) {
    console.out().printf("%,d requests sent%n", result.sent());
    if (result.skipped() > 0) {
      console
          .out()
          .printf(
              "%,d not sent: they were refused when they were recorded, or go on with a cursor or"
                  + " transaction that is not there%n",
              result.skipped());
    }
    console.out().printf("%,d refused for want of request units (16500)%n", result.refused());
    result
        .failures()
        .forEach((code, count) -> console.out().printf("%,d failed with %d%n", count, code));
    console.out().printf("the latest was %.1f s late%n", result.latestSeconds());
    if (workload.isCut()) {
      console.err().println("The end of the workload is missing; what was there is sent.");
    }
  }
}
