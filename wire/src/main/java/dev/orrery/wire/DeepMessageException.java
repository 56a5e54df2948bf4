package dev.orrery.wire;

/** The documents of a message are nested too deeply; it can be answered, but not read. */
final class DeepMessageException extends WireException {
  private static final long serialVersionUID = 1L;

  DeepMessageException() {
    super("documents are nested too deeply");
  }
}
