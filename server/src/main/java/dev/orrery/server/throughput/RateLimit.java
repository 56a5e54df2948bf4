package dev.orrery.server.throughput;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The refusal of a request for which no request units are left, in Cosmos DB's words. */
public final class RateLimit {
  private static final Pattern RETRY_AFTER = Pattern.compile("RetryAfterMs=(\\d+)");

  private RateLimit() {}

  /** Of a whole command. */
  public static CommandException ofCommand(long retryAfterMillis, long activity) {
    String text =
        "Error=16500, RetryAfterMs=%d, Details='Response status code does not indicate success:"
            + " TooManyRequests (429); Substatus: 3200; ActivityId: %s; Reason: (\r\nErrors : [\r\n"
            + " \"Request rate is large. More Request Units may be needed, so no changes were made."
            + " Please retry this request later. Learn more: http://aka.ms/cosmosdb-error-429\""
            + "\r\n]\r\n);'";
    return new CommandException(
        ErrorCode.REQUEST_RATE_TOO_LARGE, text.formatted(retryAfterMillis, new UUID(0, activity)));
  }

  /** Of a request about databases, collections, indexes or offers. */
  static CommandException ofMetadata(long retryAfterMillis, long activity) {
    String text =
        "Error=16500, RetryAfterMs=%d, Details='Response status code does not indicate success:"
            + " TooManyRequests (429); Substatus: 3200; ActivityId: %s; Reason: (\r\nErrors : [\r\n"
            + " \"The request did not complete due to a high rate of metadata requests.\""
            + "\r\n]\r\n);'";
    return new CommandException(
        ErrorCode.REQUEST_RATE_TOO_LARGE, text.formatted(retryAfterMillis, new UUID(0, activity)));
  }

  /** What a refusal says about when to come again. */
  public static long retryAfterMillis(String message) {
    Matcher matcher = RETRY_AFTER.matcher(message);
    return matcher.find() ? Long.parseLong(matcher.group(1)) : 1;
  }

  /** Of one item of a batch of writes. */
  static CommandException ofItem(long retryAfterMillis) {
    return new CommandException(
        ErrorCode.REQUEST_RATE_TOO_LARGE,
        "Error=16500, RetryAfterMs=%d, Details='Batch write error.'".formatted(retryAfterMillis));
  }
}
