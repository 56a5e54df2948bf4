package dev.orrery.server.command;

import dev.orrery.value.RawDocument;
import java.util.function.Consumer;
import org.bson.BsonDocument;

/** Where replies go that may also be given as bytes, so that nobody builds and encodes objects. */
public interface ReplyTarget extends Consumer<BsonDocument> {
  /** Takes a whole reply. Its bytes are written over once this returns. */
  void acceptEncoded(RawDocument reply);

  /** Takes a reply whose last fields are encoded already. */
  void accept(BsonDocument reply, byte[] lastFields);

  /** Gives a reply in bytes to whoever asked, decoded if he knows only objects. */
  static void give(Consumer<BsonDocument> target, RawDocument reply) {
    if (target instanceof ReplyTarget direct) {
      direct.acceptEncoded(reply);
    } else {
      target.accept(reply.toBsonDocument());
    }
  }
}
