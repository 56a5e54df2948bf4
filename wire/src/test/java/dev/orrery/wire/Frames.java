package dev.orrery.wire;

import dev.orrery.value.LittleEndian;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;

/** Builds frames byte by byte, right and wrong ones, and decodes them as a connection would. */
final class Frames {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  static Frames bytes() {
    return new Frames();
  }

  Frames int8(int value) {
    out.write(value);
    return this;
  }

  Frames int32(int value) {
    for (int shift = 0; shift < 32; shift += 8) {
      out.write(value >> shift);
    }
    return this;
  }

  Frames cstring(String value) {
    return raw(value.getBytes(StandardCharsets.UTF_8)).int8(0);
  }

  Frames raw(byte... value) {
    out.writeBytes(value);
    return this;
  }

  Frames json(String json) {
    return raw(document(json));
  }

  /** A kind 0 section. */
  Frames body(String json) {
    return int8(0).json(json);
  }

  /** A kind 1 section. */
  Frames sequence(String name, String... documents) {
    var content = bytes().cstring(name);
    for (String document : documents) {
      content.json(document);
    }
    byte[] section = content.build();
    return int8(1).int32(section.length + 4).raw(section);
  }

  byte[] build() {
    return out.toByteArray();
  }

  /** These bytes behind a header that gives their length. */
  byte[] frame(OpCode opCode) {
    return frame(opCode.number());
  }

  byte[] frame(int opCode) {
    byte[] content = build();
    return bytes().int32(content.length + 16).int32(7).int32(0).int32(opCode).raw(content).build();
  }

  static byte[] document(String json) {
    var raw = new RawBsonDocument(BsonDocument.parse(json), new BsonDocumentCodec());
    var buffer = raw.getByteBuffer();
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  static String json(DocumentBytes document) {
    return new RawBsonDocument(document.bytes(), document.offset(), document.length()).toJson();
  }

  static byte[] ping() {
    return bytes().int32(0).body("{ping: 1, $db: 'admin'}").frame(OpCode.OP_MSG);
  }

  static byte[] hello() {
    return bytes()
        .int32(4)
        .cstring("admin.$cmd")
        .int32(0)
        .int32(-1)
        .json("{isMaster: 1, helloOk: true, client: {driver: {name: 'x', version: '1'}}}")
        .frame(OpCode.OP_QUERY);
  }

  static byte[] compressed(Compressor compressor, byte[] frame) {
    byte[] packed = compressor.compress(frame, 16);
    return bytes()
        .int32(LittleEndian.int32(frame, 12))
        .int32(frame.length - 16)
        .int8(compressor.number())
        .raw(packed)
        .frame(OpCode.OP_COMPRESSED);
  }

  /** All messages in these bytes, which arrive in one piece. */
  static List<Message> decode(byte[] bytes) {
    try (var decoder = new MessageDecoder()) {
      decoder.feed(Unpooled.wrappedBuffer(bytes));
      return drain(decoder);
    }
  }

  static OpMsg decodeOpMsg(byte[] bytes) {
    return (OpMsg) decode(bytes).get(0);
  }

  static List<Message> drain(MessageDecoder decoder) {
    var messages = new ArrayList<Message>();
    for (Message next = decoder.poll(); next != null; next = decoder.poll()) {
      messages.add(next);
    }
    return messages;
  }

  static byte[] take(ByteBuf buffer) {
    byte[] bytes = new byte[buffer.readableBytes()];
    buffer.readBytes(bytes).release();
    return bytes;
  }
}
