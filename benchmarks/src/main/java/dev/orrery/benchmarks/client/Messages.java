package dev.orrery.benchmarks.client;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.bson.BsonArray;
import org.bson.BsonBinaryReader;
import org.bson.BsonBinaryWriter;
import org.bson.BsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.codecs.DecoderContext;
import org.bson.codecs.EncoderContext;
import org.bson.io.BasicOutputBuffer;

/** Encodes and decodes whole OP_MSGs, where speed does not matter. */
public final class Messages {
  static final int BODY_OFFSET = Template.HEADER_BYTES + Integer.BYTES + 1;
  private static final int SHOWN_CHARACTERS = 500;

  private Messages() {}

  static byte[] encode(BsonDocument document) {
    var buffer = new BasicOutputBuffer();
    try (var writer = new BsonBinaryWriter(buffer)) {
      new BsonDocumentCodec().encode(writer, document, EncoderContext.builder().build());
    }
    return buffer.toByteArray();
  }

  /** The body, with the documents of a sequence in an array of the sequence's name. */
  public static BsonDocument decode(ByteBuffer message) {
    ByteBuffer rest = message.duplicate().order(ByteOrder.LITTLE_ENDIAN).position(BODY_OFFSET);
    BsonDocument body = document(rest);
    if (rest.hasRemaining()) {
      rest.position(rest.position() + 1 + Integer.BYTES);
      String name = name(rest);
      var documents = new BsonArray();
      while (rest.hasRemaining()) {
        documents.add(document(rest));
      }
      body.append(name, documents);
    }
    return body;
  }

  static String describe(ByteBuffer message) {
    String text = decode(message).toJson();
    return text.substring(0, Math.min(text.length(), SHOWN_CHARACTERS));
  }

  private static BsonDocument document(ByteBuffer rest) {
    byte[] bytes = new byte[rest.getInt(rest.position())];
    rest.get(bytes);
    try (var reader = new BsonBinaryReader(ByteBuffer.wrap(bytes))) {
      return new BsonDocumentCodec().decode(reader, DecoderContext.builder().build());
    }
  }

  private static String name(ByteBuffer rest) {
    int start = rest.position();
    while (rest.get() != 0) {
      // up to the end of the name
    }
    byte[] bytes = new byte[rest.position() - 1 - start];
    rest.get(start, bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
