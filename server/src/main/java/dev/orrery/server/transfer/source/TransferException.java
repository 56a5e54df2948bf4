package dev.orrery.server.transfer.source;

import java.io.IOException;

/** Why an import or export cannot go on; the message names the place and says what to do. */
public final class TransferException extends IOException {
  private static final long serialVersionUID = 1;

  public TransferException(String message) {
    super(message);
  }

  public TransferException(String message, Throwable cause) {
    super(message, cause);
  }
}
