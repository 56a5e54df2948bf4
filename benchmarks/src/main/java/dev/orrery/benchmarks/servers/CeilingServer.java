package dev.orrery.benchmarks.servers;

import dev.orrery.benchmarks.client.Template;
import dev.orrery.server.net.NetServer;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt64;
import org.bson.BsonString;

/**
 * The ceiling: a bare Netty server that answers every message with the same reply. No server on
 * Netty that reads what it is asked can be faster.
 */
public final class CeilingServer implements AutoCloseable {
  private static final int RESPONSE_TO_OFFSET = 8;

  private final EventLoopGroup loops;
  private final Channel listener;

  private CeilingServer(EventLoopGroup loops, Channel listener) {
    this.loops = loops;
    this.listener = listener;
  }

  /** Takes the number of bytes of a reply, and says on standard output where it listens. */
  public static void main(String[] arguments) throws InterruptedException {
    ServerProcess.announce(start(Integer.parseInt(arguments[0])).address().getPort());
  }

  /** Listens on any free port of the loopback interface. */
  public static CeilingServer start(int replyBytes) throws InterruptedException {
    byte[] reply = reply(replyBytes);
    boolean hasEpoll = Epoll.isAvailable();
    var loops =
        new MultiThreadIoEventLoopGroup(
            NetServer.Options
                .usualEventLoops(), // fewer loops take less CPU, so it must have as few
            hasEpoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    var bootstrap =
        new ServerBootstrap()
            .group(loops)
            .channel(hasEpoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel connection) {
                    connection.pipeline().addLast(new FixedReply(reply));
                  }
                });
    var listener = bootstrap.bind(InetAddress.getLoopbackAddress(), 0).sync().channel();
    return new CeilingServer(loops, listener);
  }

  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  @Override
  public void close() {
    listener.close().syncUninterruptibly();
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }

  /** A reply to a find of one document, filled up to a size. */
  static byte[] reply(int bytes) {
    int missing = bytes - message("").length;
    return message("x".repeat(Math.max(0, missing)));
  }

  private static byte[] message(String filler) {
    var document = new BsonDocument("_id", new BsonString("")).append("x", new BsonString(filler));
    var cursor =
        new BsonDocument("firstBatch", new BsonArray(List.of(document)))
            .append("id", new BsonInt64(0))
            .append("ns", new BsonString("a.b"));
    return Template.of(new BsonDocument("cursor", cursor).append("ok", new BsonDouble(1)))
        .toByteArray();
  }

  /** Frames by the length at the head of a message, and skips the rest. */
  private static final class FixedReply extends ByteToMessageDecoder {
    private final byte[] reply;

    FixedReply(byte[] reply) {
      this.reply = reply;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
      while (in.readableBytes() >= Integer.BYTES) {
        int length = in.getIntLE(in.readerIndex());
        if (in.readableBytes() < length) {
          return;
        }
        int requestId = in.getIntLE(in.readerIndex() + Integer.BYTES);
        in.skipBytes(length);
        ByteBuf answer = context.alloc().directBuffer(reply.length);
        answer.writeBytes(reply).setIntLE(RESPONSE_TO_OFFSET, requestId);
        context.write(answer);
      }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) throws Exception {
      super.channelReadComplete(context);
      context.flush();
    }
  }
}
