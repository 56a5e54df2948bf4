package dev.orrery.server.console.api;

/** A request that cannot be done as it was sent; its status and words are the answer. */
public final class ApiException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String code;

  public ApiException(int status, String code, String message) {
    super(message, null, false, false);
    this.status = status;
    this.code = code;
  }

  public int status() {
    return status;
  }

  /** One word for programs. */
  public String code() {
    return code;
  }

  static ApiException badRequest(String message) {
    return new ApiException(400, "BadRequest", message);
  }

  static ApiException notFound(String message) {
    return new ApiException(404, "NotFound", message);
  }

  static ApiException forbidden(String message) {
    return new ApiException(403, "Unauthorized", message);
  }
}
