package dev.orrery.storage.postgres;

/** The database went away; whether what was under way is done is not known. */
final class LostConnectionException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LostConnectionException(String message, Throwable cause) {
    super(message, cause);
  }
}
