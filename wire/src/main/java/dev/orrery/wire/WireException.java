package dev.orrery.wire;

/**
 * A peer broke the protocol; its connection has to be closed. Carries no stack trace: the message
 * says what was wrong with the bytes, and a peer must not be able to make errors expensive.
 */
public sealed class WireException extends RuntimeException permits DeepMessageException {
  public WireException(String message) {
    super(message, null, false, false);
  }
}
