package dev.orrery.server.command;

import dev.orrery.language.error.ErrorCode;
import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;

/**
 * What errors tell drivers to try again: a whole transaction ({@code TransientTransactionError}),
 * or one command ({@code RetryableWriteError}). The rules are those of MongoDB 7.
 */
final class ErrorLabels {
  private static final BsonArray TRANSIENT =
      new BsonArray(List.of(new BsonString("TransientTransactionError")));
  private static final BsonArray RETRYABLE =
      new BsonArray(List.of(new BsonString("RetryableWriteError")));

  /** The network, a stop, or another primary: the same request may succeed a little later. */
  private static final Set<Integer> RETRIABLE =
      Set.of(6, 7, 89, 91, 134, 189, 262, 317, 9001, 10107, 11600, 11602, 13435, 13436);

  /** Others were faster, or a snapshot is lost: the same transaction may succeed from its start. */
  private static final Set<Integer> CONFLICTS =
      Set.of(24, 63, 112, 239, 246, 249, 250, 267, 272, 13388);

  /** What of a request decides about labels. */
  record Sent(boolean hasNumber, boolean isTransaction, boolean isEnd) {
    static Sent of(CommandContext context) {
      SessionFields fields = context.sessionFields();
      return new Sent(
          fields.txnNumber() != null,
          fields.isTransaction(),
          ErrorLabels.isEnd(context.operation().subject().command()));
    }
  }

  private ErrorLabels() {}

  /** Whether that command ends transactions. */
  static boolean isEnd(String command) {
    return command.equals("commitTransaction") || command.equals("abortTransaction");
  }

  /**
   * The labels of an answer; null when it has none.
   *
   * @param code 0 when it succeeded
   * @param concern the code of its writeConcernError; 0 when it has none
   */
  static @Nullable BsonArray of(int code, int concern, Sent sent) {
    if (sent.isTransaction && isTransient(code, concern != 0, sent.isEnd)) {
      return TRANSIENT;
    }
    boolean isRepeatable = sent.hasNumber && (!sent.isTransaction || sent.isEnd);
    boolean isRetriable = RETRIABLE.contains(code) || RETRIABLE.contains(concern);
    return isRepeatable && isRetriable ? RETRYABLE : null;
  }

  private static boolean isTransient(int code, boolean hasConcern, boolean isEnd) {
    boolean isGone = code == ErrorCode.NO_SUCH_TRANSACTION.number();
    if (isEnd) {
      return CONFLICTS.contains(code) || isGone && !hasConcern;
    }
    // For want of request units all of it fails, and it is safe to begin anew.
    boolean isThrottled = code == ErrorCode.REQUEST_RATE_TOO_LARGE.number();
    return CONFLICTS.contains(code) || RETRIABLE.contains(code) || isGone || isThrottled;
  }
}
