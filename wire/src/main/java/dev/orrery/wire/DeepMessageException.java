package dev.orrery.wire;

/** The documents of a message are nested too deeply; it can be answered, but not read. */
final class DeepMessageException extends WireException {
  private static final long serialVersionUID = 1L;

  private final String path;

  /** {@code path} names the first document that is too deep, dotted. */
  DeepMessageException(String path) {
    super("documents are nested too deeply");
    this.path = path;
  }

  String path() {
    return path;
  }
}
