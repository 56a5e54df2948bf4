package dev.orrery.server.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.ssl.SslContext;
import java.util.List;
import java.util.function.Supplier;

/**
 * Tells by the first bytes of a connection whether the client speaks TLS, and makes way.
 *
 * <p>A TLS record begins with its type 0x16 and the version 3.x. A message that is 790 bytes long
 * begins with the same two bytes, so in that case the operation code decides, which in TLS would be
 * part of a random number.
 */
final class TlsSniffer extends ByteToMessageDecoder {
  private static final int HANDSHAKE = 0x16;
  private static final int MAJOR_VERSION = 3;
  private static final int OP_CODE_AT = 12;
  private static final int HEADER_BYTES = 16;
  private static final List<Integer> OP_CODES = List.of(2004, 2012, 2013);

  private final Supplier<SslContext> contexts;

  TlsSniffer(Supplier<SslContext> contexts) {
    this.contexts = contexts;
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    if (in.readableBytes() < 2) {
      return;
    }
    int start = in.readerIndex();
    boolean mayBeTls =
        in.getUnsignedByte(start) == HANDSHAKE && in.getUnsignedByte(start + 1) == MAJOR_VERSION;
    if (mayBeTls && in.readableBytes() < HEADER_BYTES) {
      return;
    }
    if (mayBeTls && !OP_CODES.contains(in.getIntLE(start + OP_CODE_AT))) {
      context
          .pipeline()
          .replace(this, TlsTransport.HANDLER, contexts.get().newHandler(context.alloc()));
    } else {
      context.pipeline().remove(this); // hands on what it has read
    }
  }
}
