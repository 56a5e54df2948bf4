package dev.orrery.benchmarks.client;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.bson.BsonBinaryWriter;
import org.bson.BsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.codecs.EncoderContext;
import org.bson.io.BasicOutputBuffer;

/**
 * The bytes of one OP_MSG. A load copies them and overwrites the texts of fixed length that differ
 * from request to request.
 */
public final class Template {
  public static final int HEADER_BYTES = 16;
  private static final int OP_MSG = 2013;
  private static final int BODY_OFFSET = HEADER_BYTES + Integer.BYTES + 1;

  private final byte[] bytes;

  private Template(byte[] bytes) {
    this.bytes = bytes;
  }

  public static Template of(BsonDocument command) {
    byte[] body = encode(command);
    var message = ByteBuffer.allocate(BODY_OFFSET + body.length).order(ByteOrder.LITTLE_ENDIAN);
    message.putInt(message.capacity()).putInt(0).putInt(0).putInt(OP_MSG).putInt(0).put((byte) 0);
    return new Template(message.put(body).array());
  }

  static byte[] encode(BsonDocument document) {
    var buffer = new BasicOutputBuffer();
    try (var writer = new BsonBinaryWriter(buffer)) {
      new BsonDocumentCodec().encode(writer, document, EncoderContext.builder().build());
    }
    return buffer.toByteArray();
  }

  public int length() {
    return bytes.length;
  }

  public byte[] toByteArray() {
    return bytes.clone();
  }

  public void copyTo(ByteBuffer message) {
    message.put(bytes);
  }

  /** Where a text occurs for the first time at or after an offset. */
  public int find(String text, int from) {
    byte[] wanted = text.getBytes(StandardCharsets.UTF_8);
    for (int start = from; start + wanted.length <= bytes.length; start++) {
      if (holds(wanted, start)) {
        return start;
      }
    }
    throw new IllegalArgumentException("no " + text + " in the message");
  }

  public int find(String text) {
    return find(text, 0);
  }

  private boolean holds(byte[] wanted, int start) {
    for (int i = 0; i < wanted.length; i++) {
      if (bytes[start + i] != wanted[i]) {
        return false;
      }
    }
    return true;
  }
}
