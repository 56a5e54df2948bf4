package dev.orrery.server.transfer;

import java.io.IOException;

/** Why an import or export cannot go on; the message names the place and says what to do. */
final class TransferException extends IOException {
  private static final long serialVersionUID = 1;

  TransferException(String message) {
    super(message);
  }

  TransferException(String message, Throwable cause) {
    super(message, cause);
  }
}
