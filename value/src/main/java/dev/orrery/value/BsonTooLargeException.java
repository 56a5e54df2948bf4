package dev.orrery.value;

/** A value would be longer than it may be, once it is written as bytes. */
public final class BsonTooLargeException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int bytes;

  BsonTooLargeException(int bytes) {
    super("a value has more than " + bytes + " bytes");
    this.bytes = bytes;
  }

  /** How long it was when it was given up. */
  public int bytes() {
    return bytes;
  }
}
