package dev.orrery.server.workload;

import dev.orrery.value.RawDocument;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * A request of a workload.
 *
 * @param origin when and where it came from
 * @param target what it was for
 * @param body the command, with the documents and statements that came beside it, in the form that
 *     {@link RequestForm} gives it
 */
public record RecordedRequest(Origin origin, Target target, BsonDocument body, Outcome outcome) {
  /**
   * @param micros since the recording began
   * @param connection a number that requests of one connection share
   * @param transaction a number that requests of one transaction share; 0 for none
   */
  public record Origin(long micros, long connection, long transaction) {}

  /**
   * @param collection empty for what is on none
   * @param command its name in the present spelling
   */
  public record Target(String database, String collection, String command) {
    public String namespace() {
      return database + "." + collection;
    }
  }

  /**
   * What it did.
   *
   * @param twentyFirsts its price, in twenty-firsts of a request unit
   * @param micros how long it ran
   * @param bytesLoaded how large the documents were that it looked at
   * @param results how many documents it gave to its client
   * @param partitions how many physical partitions it asked
   * @param refusals how often it, or one of its statements, was refused for its rate
   * @param error the code of its failure; 0 when it succeeded
   * @param plan as the log of slow operations names it; empty where nothing was planned
   */
  public record Outcome(
      long twentyFirsts,
      long micros,
      long bytesLoaded,
      long results,
      int partitions,
      int refusals,
      int error,
      String plan) {}

  /** Whether nothing of it was done, as there were no request units for it. */
  public boolean isRefused() {
    return outcome.refusals > 0 && outcome.error != 0;
  }

  /* Names are short because they come with each request; docs/formats.md has them in words. */

  BsonDocument toBson() {
    var document = new BsonDocument("t", new BsonInt64(origin.micros));
    append(document, "c", origin.connection);
    append(document, "x", origin.transaction);
    document
        .append("d", new BsonString(target.database))
        .append("n", new BsonString(target.collection))
        .append("o", new BsonString(target.command));
    append(document, "ru", outcome.twentyFirsts);
    append(document, "us", outcome.micros);
    append(document, "lb", outcome.bytesLoaded);
    append(document, "r", outcome.results);
    append(document, "p", outcome.partitions);
    append(document, "f", outcome.refusals);
    append(document, "e", outcome.error);
    if (!outcome.plan.isEmpty()) {
      document.append("s", new BsonString(outcome.plan));
    }
    return document.append("b", body);
  }

  private static void append(BsonDocument document, String name, long number) {
    if (number != 0) {
      boolean isShort = number == (int) number;
      document.append(name, isShort ? new BsonInt32((int) number) : new BsonInt64(number));
    }
  }

  static RecordedRequest parse(RawDocument record) {
    BsonDocument document = record.toBsonDocument();
    return new RecordedRequest(
        new Origin(number(document, "t"), number(document, "c"), number(document, "x")),
        new Target(text(document, "d"), text(document, "n"), text(document, "o")),
        document.getDocument("b"),
        new Outcome(
            number(document, "ru"),
            number(document, "us"),
            number(document, "lb"),
            number(document, "r"),
            (int) number(document, "p"),
            (int) number(document, "f"),
            (int) number(document, "e"),
            text(document, "s")));
  }

  private static long number(BsonDocument document, String name) {
    BsonValue value = document.get(name);
    return value == null ? 0 : value.asNumber().longValue();
  }

  private static String text(BsonDocument document, String name) {
    @Nullable BsonValue value = document.get(name);
    return value == null ? "" : value.asString().getValue();
  }
}
