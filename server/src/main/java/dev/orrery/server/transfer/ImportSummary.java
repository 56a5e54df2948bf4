package dev.orrery.server.transfer;

import dev.orrery.server.transfer.source.TransferFailures;
import java.io.PrintStream;

/** What an import says when it is done. */
record ImportSummary(BatchWriter writer, TransferFailures failures, Throttle throttle) {
  /** Prints it, and returns the exit code. */
  int print(PrintStream err, double seconds) {
    err.printf("%,d documents imported in %.1f s.%n", writer.written(), seconds);
    if (writer.found() > 0) {
      err.printf("%,d were there already, from the interrupted import.%n", writer.found());
    }
    if (throttle.waitedSeconds() > 0) {
      err.printf(
          "%.1f s of that were waits for request units (16500).%n", throttle.waitedSeconds());
    }
    if (failures.count() == 0) {
      return CommandLines.DONE;
    }
    err.printf("%,d documents or indexes failed.%n", failures.count());
    return CommandLines.FAILED;
  }
}
