package dev.orrery.wire;

import dev.orrery.wire.Message.Header;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Writes messages, each into one new buffer that the caller releases. A document is copied once,
 * from its array to the buffer; a very long one is not copied, so its array must not change until
 * the buffer is released.
 */
public final class MessageEncoder {
  private static final int AWAIT_CAPABLE = 8; // what every server since 1.6 says of itself
  private static final int REPLY_FIELDS_BYTES = 20;
  private static final int COMPRESSED_FIELDS_BYTES = 9;

  /** A longer document becomes a part of the buffer as it is. */
  public static final int COPIED_BYTES_MAX = 1 << 20;

  private final ByteBufAllocator allocator;

  public MessageEncoder(ByteBufAllocator allocator) {
    this.allocator = allocator;
  }

  /** The answer to a request in the request's own dialect: opcode, checksum and compression. */
  public ByteBuf encodeReply(Message request, int replyId, DocumentBytes document) {
    return encodeReply(request, replyId, document, false);
  }

  /**
   * The same.
   *
   * @param hasNext whether another reply follows without being asked for
   */
  public ByteBuf encodeReply(
      Message request, int replyId, DocumentBytes document, boolean hasNext) {
    if (request instanceof TooDeep deep) {
      return encodeReply(deep.request(), replyId, document, hasNext);
    }
    var header = new Header(replyId, request.requestId(), request.header().compressor());
    if (request instanceof OpMsg command) {
      int flags = command.flags() & OpMsg.CHECKSUM_PRESENT | (hasNext ? OpMsg.MORE_TO_COME : 0);
      return encode(new OpMsg(header, flags, document, List.of()));
    }
    ByteBuf plain = opReply(header, document);
    return compressed(header, OpCode.OP_REPLY, plain);
  }

  /** A message as it stands; used by servers for replies, and by clients for requests. */
  public ByteBuf encode(OpMsg message) {
    ByteBuf plain = opMsg(message);
    return compressed(message.header(), OpCode.OP_MSG, plain);
  }

  private ByteBuf opReply(Header header, DocumentBytes document) {
    int length = WireLimits.HEADER_BYTES + REPLY_FIELDS_BYTES + document.length();
    ByteBuf out = start(header, OpCode.OP_REPLY, length);
    out.writeIntLE(AWAIT_CAPABLE);
    out.writeLongLE(0); // no cursor
    out.writeIntLE(0); // starting from
    out.writeIntLE(1); // documents
    return writeDocument(out, document);
  }

  private ByteBuf opMsg(OpMsg message) {
    if (isLongReply(message)) {
      return wrapped(message);
    }
    int length = WireLimits.HEADER_BYTES + Integer.BYTES + 1 + message.body().length();
    for (DocumentSequence sequence : message.sequences()) {
      length = Math.addExact(length, 1 + sectionBytes(sequence));
    }
    boolean hasChecksum = message.has(OpMsg.CHECKSUM_PRESENT);
    ByteBuf out =
        start(message.header(), OpCode.OP_MSG, hasChecksum ? length + Integer.BYTES : length);
    out.writeIntLE(message.flags());
    out.writeByte(0);
    writeDocument(out, message.body());
    for (DocumentSequence sequence : message.sequences()) {
      out.writeByte(1);
      out.writeIntLE(sectionBytes(sequence));
      out.writeCharSequence(sequence.name(), StandardCharsets.UTF_8);
      out.writeByte(0);
      sequence.documents().forEach(document -> writeDocument(out, document));
    }
    if (hasChecksum) {
      var checksum = new CRC32C();
      checksum.update(out.nioBuffer());
      out.writeIntLE((int) checksum.getValue());
    }
    return out;
  }

  private static boolean isLongReply(OpMsg message) {
    return message.body().length() > COPIED_BYTES_MAX
        && message.sequences().isEmpty()
        && message.header().compressor() == Compressor.NOOP
        && !message.has(OpMsg.CHECKSUM_PRESENT);
  }

  /** A head, and the document where it is. */
  private ByteBuf wrapped(OpMsg message) {
    DocumentBytes body = message.body();
    int headBytes = WireLimits.HEADER_BYTES + Integer.BYTES + 1;
    ByteBuf head = allocator.heapBuffer(headBytes);
    writeHeader(head, message.header(), OpCode.OP_MSG, headBytes + body.length());
    head.writeIntLE(message.flags());
    head.writeByte(0);
    return Unpooled.wrappedBuffer(
        head, Unpooled.wrappedBuffer(body.bytes(), body.offset(), body.length()));
  }

  private static int sectionBytes(DocumentSequence sequence) {
    int length = Integer.BYTES + sequence.name().getBytes(StandardCharsets.UTF_8).length + 1;
    for (DocumentBytes document : sequence.documents()) {
      length = Math.addExact(length, document.length());
    }
    return length;
  }

  /** Releases the plain message, unless it is the result. */
  private ByteBuf compressed(Header header, OpCode opCode, ByteBuf plain) {
    if (header.compressor() == Compressor.NOOP) {
      return plain;
    }
    byte[] bytes = new byte[plain.readableBytes()];
    plain.readBytes(bytes).release();
    byte[] packed = header.compressor().compress(bytes, WireLimits.HEADER_BYTES);
    int length = WireLimits.HEADER_BYTES + COMPRESSED_FIELDS_BYTES + packed.length;
    ByteBuf out = start(header, OpCode.OP_COMPRESSED, length);
    out.writeIntLE(opCode.number());
    out.writeIntLE(bytes.length - WireLimits.HEADER_BYTES);
    out.writeByte(header.compressor().number());
    return out.writeBytes(packed);
  }

  private ByteBuf start(Header header, OpCode opCode, int length) {
    ByteBuf out = allocator.buffer(length);
    writeHeader(out, header, opCode, length);
    return out;
  }

  private static void writeHeader(ByteBuf out, Header header, OpCode opCode, int length) {
    out.writeIntLE(length);
    out.writeIntLE(header.requestId());
    out.writeIntLE(header.responseTo());
    out.writeIntLE(opCode.number());
  }

  private static ByteBuf writeDocument(ByteBuf out, DocumentBytes document) {
    return out.writeBytes(document.bytes(), document.offset(), document.length());
  }
}
