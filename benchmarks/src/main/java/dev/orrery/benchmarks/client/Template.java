package dev.orrery.benchmarks.client;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonString;

/**
 * The bytes of one OP_MSG. A load copies them and overwrites the texts and numbers of fixed length
 * that differ from request to request.
 */
public final class Template {
  static final int HEADER_BYTES = 16;
  private static final int OP_MSG = 2013;

  private final byte[] bytes;

  private Template(byte[] bytes) {
    this.bytes = bytes;
  }

  public static Template of(BsonDocument body) {
    return new Template(message(Messages.encode(body), new byte[0]));
  }

  /** A command with its database. */
  public static Template command(String database, BsonDocument command) {
    return of(withDatabase(database, command));
  }

  /** A command that carries documents after its body, as drivers send the documents of writes. */
  public static Template command(
      String database, BsonDocument command, String sequence, List<BsonDocument> documents) {
    var content = new ByteArrayOutputStream();
    documents.forEach(document -> content.writeBytes(Messages.encode(document)));
    byte[] name = sequence.getBytes(StandardCharsets.UTF_8);
    int size = Integer.BYTES + name.length + 1 + content.size();
    var section = ByteBuffer.allocate(1 + size).order(ByteOrder.LITTLE_ENDIAN);
    section.put((byte) 1).putInt(size).put(name).put((byte) 0).put(content.toByteArray());
    byte[] body = Messages.encode(withDatabase(database, command));
    return new Template(message(body, section.array()));
  }

  private static BsonDocument withDatabase(String database, BsonDocument command) {
    return command.clone().append("$db", new BsonString(database));
  }

  private static byte[] message(byte[] body, byte[] section) {
    var message =
        ByteBuffer.allocate(Messages.BODY_OFFSET + body.length + section.length)
            .order(ByteOrder.LITTLE_ENDIAN);
    message.putInt(message.capacity()).putInt(0).putInt(0).putInt(OP_MSG).putInt(0).put((byte) 0);
    return message.put(body).put(section).array();
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

  /** Where a text occurs for the first time. */
  public int find(String text) {
    return find(text, 0);
  }

  /** Where a text occurs for the first time at or after an offset. */
  public int find(String text, int from) {
    return find(text.getBytes(StandardCharsets.UTF_8), from);
  }

  /** Where a 32-bit number occurs that was chosen to occur once. */
  public int find(int number) {
    byte[] wanted =
        ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(number).array();
    return find(wanted, 0);
  }

  private int find(byte[] wanted, int from) {
    for (int start = from; start + wanted.length <= bytes.length; start++) {
      if (holds(wanted, start)) {
        return start;
      }
    }
    throw new IllegalArgumentException("the message does not hold what is to be replaced");
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
