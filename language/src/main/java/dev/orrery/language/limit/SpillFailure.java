package dev.orrery.language.limit;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.io.IOException;

/** What a client is told when what should be put away cannot be written or read. */
public final class SpillFailure {
  private SpillFailure() {}

  /** A full disk is not the server's fault, and goes by as it does for writes. */
  public static CommandException of(IOException cause) {
    String words = String.valueOf(cause.getMessage());
    boolean isFull = words.contains("No space left") || words.contains("quota exceeded");
    return new CommandException(
        isFull ? ErrorCode.OUT_OF_DISK_SPACE : ErrorCode.INTERNAL_ERROR,
        "a temporary file failed: " + words);
  }
}
