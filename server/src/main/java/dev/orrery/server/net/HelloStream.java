package dev.orrery.server.net;

import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import dev.orrery.wire.DocumentBytes;
import dev.orrery.wire.Message;
import dev.orrery.wire.OpMsg;
import java.util.List;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * A hello that is answered again and again: a client that waits for changes, and allows several
 * replies, gets each as if it had asked for it with what the reply before has told.
 */
final class HelloStream {
  private static final Set<String> NAMES = Set.of("hello", "isMaster", "ismaster");
  private static final String VERSION = "topologyVersion";
  private static final String TIME = "maxAwaitTimeMS";

  /** Whoever wants to wait for less is to ask each time, or he could keep the server busy. */
  private static final long MILLIS_MIN = 100;

  private HelloStream() {}

  /** What is answered after that reply; null when the client has to ask. */
  static @Nullable OpMsg next(Message request, BsonDocument reply) {
    if (!(request instanceof OpMsg sent)
        || !sent.has(OpMsg.EXHAUST_ALLOWED)
        || !sent.expectsReply()) {
      return null;
    }
    DocumentBytes bytes = sent.body();
    var body = RawDocument.wrap(bytes.bytes(), bytes.offset(), bytes.length());
    var first = body.elements();
    BsonValue version = reply.get(VERSION);
    boolean isStream = first.next() && NAMES.contains(first.name()) && isLong(body.field(TIME));
    if (!isStream || version == null || reply.containsKey("code")) {
      return null;
    }
    if (version.equals(body.field(VERSION).toBsonValue())) {
      return sent;
    }
    RawDocument next = RawDocument.of(body.toBsonDocument().append(VERSION, version));
    return new OpMsg(sent.header(), sent.flags(), DocumentBytes.of(next.toByteArray()), List.of());
  }

  private static boolean isLong(@Nullable RawValue millis) {
    return millis != null
        && millis.isNumber()
        && millis.toBsonValue().asNumber().longValue() >= MILLIS_MIN;
  }
}
