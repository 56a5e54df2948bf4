package dev.orrery.value;

/** A document stands in so many others that it can neither be sent nor stored. */
public final class NestingException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public NestingException(int levelsMax) {
    super(
        "cannot convert document to BSON because it exceeds the limit of "
            + levelsMax
            + " levels of nesting",
        null,
        false,
        false);
  }
}
