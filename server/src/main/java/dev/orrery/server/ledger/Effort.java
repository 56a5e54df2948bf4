package dev.orrery.server.ledger;

import dev.orrery.server.operation.Operation;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * What a request did, as far as its price tells of it; two of them say why one shape of request
 * costs more than it did.
 *
 * @param plan as the log of slow operations names it; empty where nothing was planned
 * @param keys how many entries of indexes it looked at
 * @param documents how many documents it loaded
 * @param bytes how large these were together
 * @param partitions how many physical partitions it asked
 * @param statements how many documents it inserted, or statements it had
 */
public record Effort(
    String plan, long keys, long documents, long bytes, long partitions, long statements) {
  private static final String WHOLE_COLLECTION = "COLLSCAN";

  static Effort of(Operation operation) {
    return new Effort(
        operation.plan() == null ? "" : operation.plan().summary(),
        operation.keysExamined(),
        operation.documentsExamined(),
        operation.bytesExamined(),
        operation.partitionsVisited(),
        operation.statements());
  }

  /** What a file says. */
  public static Effort parse(BsonDocument document) {
    return new Effort(
        document.getString("plan", new BsonString("")).getValue(),
        number(document, "keys"),
        number(document, "documents"),
        number(document, "bytes"),
        number(document, "partitions"),
        number(document, "statements"));
  }

  private static long number(BsonDocument document, String name) {
    BsonValue value = document.get(name);
    return value != null && value.isNumber() ? value.asNumber().longValue() : 0;
  }

  /** Fields for a report or a file; those that say nothing are left out. */
  public BsonDocument toBson() {
    var document = new BsonDocument();
    if (!plan.isEmpty()) {
      document.append("plan", new BsonString(plan));
    }
    Map.of("keys", keys, "documents", documents, "bytes", bytes).entrySet().stream()
        .filter(entry -> entry.getValue() > 0)
        .sorted(Map.Entry.comparingByKey())
        .forEach(entry -> document.append(entry.getKey(), new BsonInt64(entry.getValue())));
    return document
        .append("partitions", new BsonInt64(partitions))
        .append("statements", new BsonInt64(statements));
  }

  /** Whether a request reads the whole collection where one with that effort did not. */
  public boolean hasLostIndex(Effort before) {
    return plan.contains(WHOLE_COLLECTION) && !before.plan.contains(WHOLE_COLLECTION);
  }

  /** The likely reason why a request costs more than one with that effort. */
  public String whyMoreThan(Effort before) {
    if (hasLostIndex(before)) {
      return "it reads the whole collection, where it used %s: an index is lost"
          .formatted(before.plan.isEmpty() ? "the primary key" : before.plan);
    }
    if (partitions > before.partitions) {
      return "it asks %d partitions instead of %d: it names no partition key, or there was a split"
          .formatted(partitions, before.partitions);
    }
    if (!plan.equals(before.plan)) {
      return "it runs by %s instead of %s".formatted(plan, before.plan);
    }
    if (statements > before.statements) {
      return "it has %d statements instead of %d".formatted(statements, before.statements);
    }
    if (documents > before.documents || keys > before.keys) {
      return "it looks at %d documents and %d index entries instead of %d and %d"
          .formatted(documents, keys, before.documents, before.keys);
    }
    if (bytes > before.bytes) {
      return "its documents are larger: %d bytes instead of %d".formatted(bytes, before.bytes);
    }
    return "larger documents, or more index entries for each";
  }
}
