package dev.orrery.server.command.data;

import dev.orrery.language.error.CommandException;
import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.number.Numbers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/** The counts and the failures of the items of one write command. */
final class BulkReply {
  static final int ITEMS_MAX = 100_000;

  /** As in MongoDB, the items that fail after so much text do so without words. */
  private static final int MESSAGES_MAX = 1 << 20;

  /** An item that failed, and why. */
  private record Failure(int index, CommandException error) {}

  private final List<Failure> failures = new ArrayList<>();
  private final BsonArray upserted = new BsonArray();
  private final BsonArray retried = new BsonArray();
  private final UnaryOperator<CommandException> words;
  private long n;
  private long modified;

  /**
   * @param words how a failure is told
   */
  BulkReply(UnaryOperator<CommandException> words) {
    this.words = words;
  }

  /** Refuses a command with no item, or with too many. */
  static void requireSize(int items) {
    if (items < 1 || items > ITEMS_MAX) {
      throw new CommandException(
          ErrorCode.INVALID_LENGTH,
          "Write batch sizes must be between 1 and %d. Got %d operations."
              .formatted(ITEMS_MAX, items));
    }
  }

  void count(long matched) {
    n += matched;
  }

  /** Counts a statement that was carried out before. */
  void repeat(int statement, long matched) {
    retried.add(new BsonInt32(statement));
    n += matched;
  }

  void countModified(long changed) {
    modified += changed;
  }

  void upsert(int index, BsonValue id) {
    n++;
    upserted.add(new BsonDocument("index", new BsonInt32(index)).append("_id", id));
  }

  /** Throws what ends the whole command, and not only one of its statements, as in MongoDB. */
  static void requireGoingOn(CommandException e) {
    if (e.code().isInterruption() || e.code().endsTransaction()) {
      throw e;
    }
  }

  void fail(int index, CommandException error) {
    failures.add(new Failure(index, words.apply(error)));
  }

  boolean hasFailures() {
    return !failures.isEmpty();
  }

  BsonDocument toInsertReply() {
    return counted();
  }

  BsonDocument toUpdateReply() {
    BsonDocument reply = counted();
    if (!upserted.isEmpty()) {
      reply.append("upserted", upserted);
    }
    return reply.append("nModified", Numbers.intOrLong(modified));
  }

  private BsonDocument counted() {
    var reply = new BsonDocument("n", Numbers.intOrLong(n));
    if (!failures.isEmpty()) {
      failures.sort(Comparator.comparingInt(Failure::index));
      var errors = new BsonArray();
      int shown = 0;
      for (Failure failure : failures) {
        errors.add(toBson(failure, shown < MESSAGES_MAX ? failure.error().getMessage() : ""));
        shown += failure.error().getMessage().length();
      }
      reply.append("writeErrors", errors);
    }
    if (!retried.isEmpty()) {
      reply.append("retriedStmtIds", retried);
    }
    return reply;
  }

  private static BsonDocument toBson(Failure failure, String message) {
    CommandException error = failure.error();
    var document =
        new BsonDocument("index", new BsonInt32(failure.index()))
            .append("code", new BsonInt32(error.code().number()));
    document.putAll(error.details());
    return document.append("errmsg", new BsonString(message));
  }
}
