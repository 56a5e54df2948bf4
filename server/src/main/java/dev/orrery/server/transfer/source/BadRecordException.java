package dev.orrery.server.transfer.source;

import java.io.IOException;

/** One record is no document; the records after it can be read all the same. */
public final class BadRecordException extends IOException {
  private static final long serialVersionUID = 1;

  BadRecordException(String place, String problem) {
    super(place + ": " + problem);
  }
}
