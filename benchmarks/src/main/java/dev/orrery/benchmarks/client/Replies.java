package dev.orrery.benchmarks.client;

import java.nio.ByteBuffer;
import org.bson.BsonBinaryReader;
import org.bson.BsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.codecs.DecoderContext;

/** Decodes whole replies, where speed does not matter. */
final class Replies {
  private static final int BODY_OFFSET = Template.HEADER_BYTES + Integer.BYTES + 1;
  private static final int SHOWN_CHARACTERS = 500;

  private Replies() {}

  static BsonDocument decode(ByteBuffer message) {
    byte[] body = new byte[message.limit() - BODY_OFFSET];
    message.get(BODY_OFFSET, body);
    try (var reader = new BsonBinaryReader(ByteBuffer.wrap(body))) {
      return new BsonDocumentCodec().decode(reader, DecoderContext.builder().build());
    }
  }

  static String describe(ByteBuffer message) {
    String text = decode(message).toJson();
    return text.substring(0, Math.min(text.length(), SHOWN_CHARACTERS));
  }
}
