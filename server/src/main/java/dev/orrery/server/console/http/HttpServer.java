package dev.orrery.server.console.http;

import dev.orrery.lane.Lane;
import dev.orrery.language.limit.MemoryBudget;
import dev.orrery.server.net.TransportSecurity;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for browsers and the machines that watch a server. It has one event loop and two threads
 * of its own, so that nobody who only looks takes a loop or a worker from those who work.
 */
public final class HttpServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);

  private static final int THREADS = 2;
  private static final int WAITING_MAX = 64;
  private static final int BACKLOG = 128;
  private static final int LINE_BYTES_MAX = 8 << 10;
  private static final int HEADER_BYTES_MAX = 16 << 10;
  private static final long GRACE_MILLIS = 2_000;

  private final Options options;
  private final HttpHandler handler;
  private final EventLoopGroup loops;
  private final ThreadPoolExecutor workers;
  private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private Channel listener;

  /**
   * How to listen.
   *
   * @param port 0 for any free one
   * @param memory gives what long bodies are taken from
   */
  public record Options(
      String bind,
      int port,
      int connectionsMax,
      TransportSecurity security,
      Supplier<MemoryBudget> memory) {}

  private HttpServer(Options options, HttpHandler handler) {
    this.options = options;
    this.handler = handler;
    ThreadFactory threads = task -> daemon(Lane.EVENT_LOOP.thread("console-net", task));
    this.loops = new MultiThreadIoEventLoopGroup(1, threads, NioIoHandler.newFactory());
    this.workers =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            1,
            TimeUnit.MINUTES,
            new ArrayBlockingQueue<>(WAITING_MAX),
            task -> daemon(Lane.WORKER.thread("console", task)));
    workers.allowCoreThreadTimeOut(true);
  }

  private static Thread daemon(Thread thread) {
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Listens, and serves from now on.
   *
   * @throws IOException if the address cannot be had
   */
  public static HttpServer start(Options options, HttpHandler handler) throws IOException {
    var server = new HttpServer(options, handler);
    var address = new InetSocketAddress(options.bind(), options.port());
    ChannelFuture bound = server.bootstrap().bind(address).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      server.close();
      throw new IOException(
          "cannot listen on %s:%d for the console: %s"
              .formatted(options.bind(), options.port(), bound.cause().getMessage()),
          bound.cause());
    }
    server.listener = bound.channel();
    return server;
  }

  /** Where browsers reach this server. */
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  private ServerBootstrap bootstrap() {
    return new ServerBootstrap()
        .group(loops)
        .channel(NioServerSocketChannel.class)
        .option(ChannelOption.SO_BACKLOG, BACKLOG)
        .option(ChannelOption.SO_REUSEADDR, true)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childHandler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                accept(channel);
              }
            });
  }

  private void accept(Channel channel) {
    if (connections.size() >= options.connectionsMax()) {
      LOG.warn("a connection to the console is refused: {} are open", options.connectionsMax());
      channel.close();
      return;
    }
    options.security().install(channel.pipeline());
    var limits =
        new HttpDecoderConfig()
            .setMaxInitialLineLength(LINE_BYTES_MAX)
            .setMaxHeaderSize(HEADER_BYTES_MAX);
    channel.pipeline().addLast(new HttpServerCodec(limits));
    channel.pipeline().addLast(new HttpConnection(handler, workers, options.memory().get()));
    connections.add(channel);
  }

  /** Refuses new connections and closes those that are there. */
  @Override
  public void close() {
    if (listener != null) {
      listener.close().awaitUninterruptibly();
    }
    workers.shutdown();
    try {
      if (!workers.awaitTermination(GRACE_MILLIS, TimeUnit.MILLISECONDS)) {
        workers.shutdownNow();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    connections.close().awaitUninterruptibly(GRACE_MILLIS);
    loops.shutdownGracefully(0, GRACE_MILLIS, TimeUnit.MILLISECONDS).awaitUninterruptibly();
  }
}
