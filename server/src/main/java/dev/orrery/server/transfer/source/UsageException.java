package dev.orrery.server.transfer.source;

/** A command line that cannot be obeyed. */
public final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public UsageException(String message) {
    super(message);
  }
}
