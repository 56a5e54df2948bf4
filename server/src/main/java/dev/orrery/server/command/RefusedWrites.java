package dev.orrery.server.command;

import dev.orrery.language.error.ErrorCode;
import dev.orrery.language.number.Numbers;
import dev.orrery.server.throughput.RateLimit;
import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * The items of a write command that were refused for want of request units, and not tried after
 * such a one.
 *
 * @param items where they are in the command
 */
record RefusedWrites(Request request, String field, BsonDocument reply, List<Integer> items) {
  private static final Map<String, String> FIELDS =
      Map.of("insert", "documents", "update", "updates", "delete", "deletes");

  /** What numbers the whole write, and would make of the rest a repetition. */
  private static final Set<String> NUMBERS = Set.of("txnNumber", "stmtId", "stmtIds");

  /** What was refused, or null when nothing was. */
  static @Nullable RefusedWrites find(Request request, BsonDocument reply) {
    String field = FIELDS.get(request.commandName());
    BsonValue errors = reply.get("writeErrors");
    if (field == null || errors == null || !errors.isArray()) {
      return null;
    }
    RawValue ordered = request.body().field("ordered");
    boolean isOrdered = ordered == null || ordered.toBsonValue().equals(BsonBoolean.TRUE);
    var items = new ArrayList<Integer>();
    for (BsonValue error : errors.asArray()) {
      if (isRefusal(error.asDocument())) {
        items.add(error.asDocument().getInt32("index").getValue());
      }
    }
    if (items.isEmpty()) {
      return null;
    }
    if (isOrdered) {
      for (int i = items.get(0) + 1; i < items(request, field).size(); i++) {
        items.add(i);
      }
    }
    return new RefusedWrites(request, field, reply, items);
  }

  private static boolean isRefusal(BsonDocument error) {
    return error.getInt32("code").getValue() == ErrorCode.REQUEST_RATE_TOO_LARGE.number();
  }

  private static List<RawDocument> items(Request request, String field) {
    for (RequestSequence sequence : request.sequences()) {
      if (sequence.name().equals(field)) {
        return sequence.documents();
      }
    }
    RawValue array = request.body().field(field);
    var items = new ArrayList<RawDocument>();
    for (RawValue item : array.asDocument().toValues()) {
      items.add(item.asDocument());
    }
    return items;
  }

  long retryAfterMillis() {
    long wait = 1;
    for (BsonValue error : reply.getArray("writeErrors")) {
      if (isRefusal(error.asDocument())) {
        String message = error.asDocument().getString("errmsg").getValue();
        wait = Math.max(wait, RateLimit.retryAfterMillis(message));
      }
    }
    return wait;
  }

  /** The same command with these items alone. */
  Request rest() {
    var body = new BsonDocument();
    RawElements elements = request.body().elements();
    while (elements.next()) {
      if (!elements.name().equals(field) && !NUMBERS.contains(elements.name())) {
        body.append(elements.name(), elements.value().toBsonValue());
      }
    }
    List<RawDocument> all = items(request, field);
    List<RawDocument> rest = items.stream().map(all::get).toList();
    var sequences = new ArrayList<RequestSequence>();
    sequences.add(new RequestSequence(field, rest));
    return new Request(
        request.connection(), RawDocument.of(body), sequences, request.legacyDatabase());
  }

  /** The reply when there is no time left: the refusals have become timeouts. */
  BsonDocument timedOut() {
    for (BsonValue error : reply.getArray("writeErrors")) {
      if (isRefusal(error.asDocument())) {
        error
            .asDocument()
            .append("code", new BsonInt32(ErrorCode.MAX_TIME_MS_EXPIRED.number()))
            .append("errmsg", new BsonString(ServerSideRetry.TIMED_OUT));
      }
    }
    return reply;
  }

  /** One reply of this one without its refusals, and that to {@link #rest}. */
  BsonDocument mergedWith(BsonDocument later) {
    if (!later.containsKey("n")) {
      return later; // the command failed as a whole
    }
    var merged = new BsonDocument();
    merged.putAll(later);
    for (String count : List.of("n", "nModified")) {
      if (reply.containsKey(count)) {
        long sum = reply.getNumber(count).longValue() + later.getNumber(count).longValue();
        merged.put(count, Numbers.intOrLong(sum));
      }
    }
    mergeList(merged, later, "upserted");
    mergeList(merged, later, "writeErrors");
    return merged;
  }

  private void mergeList(BsonDocument merged, BsonDocument later, String name) {
    var list = new BsonArray();
    for (BsonValue entry : reply.getArray(name, new BsonArray())) {
      boolean isRefusal = name.equals("writeErrors") && isRefusal(entry.asDocument());
      if (!isRefusal) {
        list.add(entry);
      }
    }
    for (BsonValue entry : later.getArray(name, new BsonArray())) {
      int index = entry.asDocument().getInt32("index").getValue();
      list.add(entry.asDocument().clone().append("index", new BsonInt32(items.get(index))));
    }
    if (list.isEmpty()) {
      merged.remove(name);
    } else {
      merged.put(name, list);
    }
  }
}
