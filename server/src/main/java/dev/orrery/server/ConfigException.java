package dev.orrery.server;

/** A setting that the server does not start with; the message says what is allowed. */
final class ConfigException extends RuntimeException {
  ConfigException(String message) {
    super(message);
  }
}
