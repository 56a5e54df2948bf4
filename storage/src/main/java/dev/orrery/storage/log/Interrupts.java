package dev.orrery.storage.log;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;

/** Runs I/O to its end although the thread is interrupted, which it still is afterwards. */
final class Interrupts {

  /** I/O that can be repeated from its start. */
  interface Action<T> {
    T run() throws IOException;
  }

  /** Gets a new channel after an interrupt has closed the old one. */
  interface Reopen {
    void run() throws IOException;
  }

  private Interrupts() {}

  static <T> T outlast(Action<T> action, Reopen reopen) throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return action.run();
        } catch (ClosedByInterruptException e) {
          interrupted |= Thread.interrupted();
          reopen.run();
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
