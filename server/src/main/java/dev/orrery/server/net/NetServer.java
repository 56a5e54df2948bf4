package dev.orrery.server.net;

import dev.orrery.language.limit.MemoryBudget;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens on one address and serves every connection with a few event loops, never with a thread of
 * its own.
 */
public final class NetServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NetServer.class);

  /** Connections that the kernel holds for us while we are busy. */
  private static final int BACKLOG = 4096;

  private static final int RECEIVE_BYTES_MIN = 2 << 10;
  private static final int RECEIVE_BYTES_MAX = 64 << 10;

  /** How long a stop waits for requests in flight. */
  private static final long GRACE_MILLIS = 5_000;

  private final Options options;
  private final RequestHandler requests;
  private final EventLoopGroup loops;
  private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final Map<EventLoop, LoopTurn> turns = new ConcurrentHashMap<>();
  private final AtomicInteger lastId = new AtomicInteger();
  private final LoopWatchdog watchdog;
  private final Consumer<Throwable> onLoopEnd;
  private final NetMemory memory;
  private volatile boolean isStopping;
  private Channel listener;

  private NetServer(Options options, RequestHandler requests, Consumer<Throwable> onLoopEnd) {
    this.options = options;
    this.requests = requests;
    this.onLoopEnd = onLoopEnd;
    this.memory = new NetMemory(options.memory());
    loops =
        new MultiThreadIoEventLoopGroup(
            options.eventLoops(), new LoopThreads(this::loopEnded), ioHandlerFactory());
    watchdog = new LoopWatchdog(loops);
  }

  /**
   * Listens, and serves from now on.
   *
   * @throws IOException if the address cannot be had
   */
  public static NetServer start(Options options, RequestHandler requests) throws IOException {
    return start(options, requests, cause -> {});
  }

  /**
   * The same.
   *
   * @param onLoopEnd is told when an event loop ended before its time, and its connections with it
   */
  public static NetServer start(
      Options options, RequestHandler requests, Consumer<Throwable> onLoopEnd) throws IOException {
    var server = new NetServer(options, requests, onLoopEnd);
    var address = new InetSocketAddress(options.bind(), options.port());
    ChannelFuture bound = server.bootstrap().bind(address).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      server.close();
      throw new IOException(
          "cannot listen on "
              + options.bind()
              + ":"
              + options.port()
              + ": "
              + bound.cause().getMessage(),
          bound.cause());
    }
    server.listener = bound.channel();
    return server;
  }

  /** Where clients reach this server; the port is the real one, also when 0 was asked for. */
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  private void loopEnded(Throwable cause) {
    if (!isStopping) {
      onLoopEnd.accept(cause);
    }
  }

  /** How often an event loop stood still for longer than is bearable. */
  public long stalls() {
    return watchdog.stalls();
  }

  public int connectionCount() {
    return connections.size();
  }

  /** All connections since the start. */
  public int connectionsCreated() {
    return lastId.get();
  }

  /**
   * Refuses new connections, lets requests in flight end, closes all connections. What answers
   * requests must live until this returns.
   */
  @Override
  public void close() {
    isStopping = true;
    if (listener != null) {
      listener.close().awaitUninterruptibly();
    }
    for (Channel connection : connections) {
      stop(connection);
    }
    requests.stopping(); // later than the connections, or one of them could wait again
    if (!connections.newCloseFuture().awaitUninterruptibly(GRACE_MILLIS)) {
      LOG.warn("{} connections are cut off with a request in flight", connections.size());
      connections.close().awaitUninterruptibly();
    }
    watchdog.close();
    loops.shutdownGracefully(0, GRACE_MILLIS, TimeUnit.MILLISECONDS).awaitUninterruptibly();
  }

  /** A connection that is just being closed by its client has lost its handlers already. */
  private static void stop(Channel connection) {
    var handler = connection.pipeline().get(ConnectionHandler.class);
    if (handler != null) {
      handler.stop();
    }
  }

  private ServerBootstrap bootstrap() {
    return new ServerBootstrap()
        .group(loops)
        .channel(channelType())
        .option(ChannelOption.SO_BACKLOG, BACKLOG)
        .option(ChannelOption.SO_REUSEADDR, true)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childOption(ChannelOption.SO_KEEPALIVE, true)
        .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true) // told, so that replies leave before
        .childOption(ChannelOption.RECVBUF_ALLOCATOR, receiveBuffers())
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
      LOG.warn("a connection is refused: {} are open", options.connectionsMax());
      channel.close();
      return;
    }
    options.security().install(channel.pipeline());
    LoopTurn turn = turns.computeIfAbsent(channel.eventLoop(), LoopTurn::new);
    channel
        .pipeline()
        .addLast(new ConnectionHandler(lastId.incrementAndGet(), requests, turn, memory));
    connections.add(channel); // with its handler, or a stop could not tell it
    if (isStopping) {
      stop(channel); // it came too late to be seen by close()
    }
  }

  /**
   * Buffers that follow the sizes of what is read, but do not shrink below those of usual commands:
   * a command that is longer than the one before would be read in two pieces, by two system calls.
   */
  private static RecvByteBufAllocator receiveBuffers() {
    return new AdaptiveRecvByteBufAllocator(
        RECEIVE_BYTES_MIN, RECEIVE_BYTES_MIN, RECEIVE_BYTES_MAX);
  }

  private static IoHandlerFactory ioHandlerFactory() {
    return Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
  }

  private static Class<? extends ServerSocketChannel> channelType() {
    return Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
  }

  /** What all connections have in common. */
  public record Shared(TransportSecurity security, MemoryBudget memory) {}

  /**
   * How to listen.
   *
   * @param port 0 for any free one
   * @param eventLoops threads, 0 for one for each two processors
   * @param shared what connections share: how they are guarded, and their memory
   */
  public record Options(String bind, int port, int eventLoops, int connectionsMax, Shared shared) {
    public Options {
      eventLoops = eventLoops == 0 ? usualEventLoops() : eventLoops;
    }

    public Options(String bind, int port, int eventLoops, int connectionsMax) {
      this(
          bind,
          port,
          eventLoops,
          connectionsMax,
          new Shared(TransportSecurity.NONE, MemoryBudget.unlimited()));
    }

    TransportSecurity security() {
      return shared.security;
    }

    MemoryBudget memory() {
      return shared.memory;
    }

    /** Half of the processors: the others are for workers, commits and clients; see ADR 5. */
    public static int usualEventLoops() {
      return Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    }
  }
}
