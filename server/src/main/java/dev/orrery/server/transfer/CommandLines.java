package dev.orrery.server.transfer;

import com.mongodb.MongoException;
import dev.orrery.server.transfer.source.Console;
import dev.orrery.server.transfer.source.UsageException;
import java.io.IOException;

/** What the command lines of import and export have in common: how they end. */
final class CommandLines {
  static final int DONE = 0;
  static final int FAILED = 1;
  static final int MISUSED = 2;

  /** The work of a command; returns its exit code. */
  interface Work {
    int run() throws IOException;
  }

  private CommandLines() {}

  static int run(Console console, String name, Work work) {
    System.setProperty("orrery.log.level", "error"); // the driver tells of every connection
    try {
      return work.run();
    } catch (UsageException e) {
      console.err().println("orrery: " + e.getMessage() + ". Try orrery " + name + " --help.");
      return MISUSED;
    } catch (IOException | MongoException e) {
      console.err().println("orrery: " + e.getMessage());
      return FAILED;
    }
  }

  /** Takes back a hook; one that already runs because the process ends stays. */
  static void forget(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending, and the hook does what it is there for.
    }
  }
}
