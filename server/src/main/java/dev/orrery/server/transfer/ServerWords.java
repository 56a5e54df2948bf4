package dev.orrery.server.transfer;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Why a request failed, in the server's words or the network's, without those of the driver. */
final class ServerWords {
  /** What the driver knows of the servers that it did not reach ends with the reason. */
  private static final Pattern REASON = Pattern.compile("caused by \\{[\\w.$]+: ([^{}]+)}");

  private ServerWords() {}

  static String of(MongoException failure) {
    Throwable innermost = failure;
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof MongoCommandException refused) {
        return refused.getErrorMessage() + " (" + refused.getErrorCode() + ")";
      }
      innermost = cause;
    }
    String words = innermost.getMessage();
    if (words == null) {
      return innermost.getClass().getSimpleName();
    }
    Matcher reason = REASON.matcher(words);
    return reason.find() ? reason.group(1) : words;
  }
}
