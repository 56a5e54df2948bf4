package dev.orrery.compat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;

/**
 * What only a run knows and a recorded case refers to: {@code {$$cursor: n}} the cursor of answer
 * n, {@code {$$token: n}} and {@code {$$time: n}} its place and time, with {@code [n, i]} those of
 * its event i, {@code {$$lsid: k}} a session.
 */
final class OracleReferences {
  private static final BsonInt64 NO_CURSOR = new BsonInt64(0);
  private static final BsonTimestamp NO_TIME = new BsonTimestamp(1, 1);

  /** The first three bytes of the ids of sessions, and how they look in base 64. */
  private static final long SESSION_PREFIX = 0x6f7263;

  static final String SESSION_PREFIX_TEXT = "b3Jj";

  private final List<BsonDocument> answers = new ArrayList<>();
  private final Map<Integer, BsonDocument> sessions = new HashMap<>();

  void add(BsonDocument answer) {
    answers.add(answer);
  }

  /** Forgets the answers, but not the sessions. */
  void clear() {
    answers.clear();
  }

  BsonValue fill(BsonValue value) {
    if (value.isArray()) {
      value.asArray().replaceAll(this::fill);
    } else if (value.isDocument()) {
      BsonDocument document = value.asDocument();
      String name = document.size() == 1 ? document.getFirstKey() : "";
      if (name.startsWith("$$")) {
        return find(name, document.get(name));
      }
      document.replaceAll((field, inner) -> fill(inner));
    }
    return value;
  }

  private BsonValue find(String name, BsonValue where) {
    List<BsonValue> path = where.isArray() ? where.asArray() : List.of(where);
    int answer = path.get(0).asNumber().intValue();
    Integer event = path.size() < 2 ? null : path.get(1).asNumber().intValue();
    return switch (name) {
      case "$$cursor" -> cursor(answer).get("id", NO_CURSOR);
      case "$$lsid" -> sessions.computeIfAbsent(answer, absent -> newSession());
      case "$$sid" -> sessions.computeIfAbsent(answer, absent -> newSession()).get("id");
      case "$$token" ->
          event == null
              ? cursor(answer).get("postBatchResumeToken", noToken())
              : event(answer, event).get("_id", noToken());
      case "$$time" ->
          event == null
              ? answer(answer).get("operationTime", NO_TIME)
              : event(answer, event).get("clusterTime", NO_TIME);
      default -> throw new IllegalArgumentException("unknown reference " + name);
    };
  }

  /** An id by which answers that show it are known. */
  private static BsonDocument newSession() {
    UUID random = UUID.randomUUID();
    long high = random.getMostSignificantBits() & 0xff_ffff_ffffL | SESSION_PREFIX << 40;
    return new BsonDocument("id", new BsonBinary(new UUID(high, random.getLeastSignificantBits())));
  }

  private static BsonDocument noToken() {
    return new BsonDocument("_data", new BsonString("8200000000"));
  }

  private BsonDocument answer(int index) {
    return index < answers.size() ? answers.get(index) : new BsonDocument();
  }

  private BsonDocument cursor(int index) {
    return answer(index).getDocument("cursor", new BsonDocument());
  }

  private BsonDocument event(int answer, int index) {
    BsonDocument cursor = cursor(answer);
    BsonArray batch = cursor.getArray("firstBatch", cursor.getArray("nextBatch", new BsonArray()));
    return index < batch.size() ? batch.get(index).asDocument() : new BsonDocument();
  }
}
