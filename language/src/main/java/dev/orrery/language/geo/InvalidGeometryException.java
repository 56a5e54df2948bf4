package dev.orrery.language.geo;

/**
 * A value that is no geometry, in MongoDB's words. Most of those who meet one only want to know
 * that, of many documents, so it has no stack trace.
 */
public final class InvalidGeometryException extends RuntimeException {
  private static final long serialVersionUID = 1;

  InvalidGeometryException(String message) {
    super(message, null, false, false);
  }
}
