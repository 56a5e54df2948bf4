package dev.orrery.server.transfer;

/** A command line that cannot be obeyed. */
final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1;

  UsageException(String message) {
    super(message);
  }
}
