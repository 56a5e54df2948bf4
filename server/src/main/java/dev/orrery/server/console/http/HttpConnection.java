package dev.orrery.server.console.http;

import dev.orrery.language.limit.MemoryBudget;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of a browser: a request at a time, from its first byte to the end of its reply.
 * All fields belong to the connection's event loop.
 */
final class HttpConnection extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(HttpConnection.class);

  /** A request must be complete by then, and an idle connection is closed. */
  private static final int PATIENCE_SECONDS = 75;

  /** How long, and how much, a client may go on sending of a request that was refused. */
  private static final int LINGER_SECONDS = 5;

  private static final int LINGER_BYTES_MAX = 64 << 20;

  /** Of a shorter body nobody keeps count. */
  private static final int FREE_BODY_BYTES = 64 << 10;

  private final HttpHandler handler;
  private final Executor workers;
  private final MemoryBudget memory;
  private final ArrayDeque<Object> waiting = new ArrayDeque<>();

  private @Nullable HttpHead head;
  private @Nullable ByteArrayOutputStream body;
  private int bodyBytesMax;
  private int counted;
  private boolean isKeptAlive;
  private boolean isAnswering;
  private @Nullable Refused refused;
  private @Nullable ScheduledFuture<?> patience;
  private HttpReply.@Nullable Stream stream;

  HttpConnection(HttpHandler handler, Executor workers, MemoryBudget memory) {
    this.handler = handler;
    this.workers = workers;
    this.memory = memory;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    watch(context);
  }

  private void watch(ChannelHandlerContext context) {
    unwatch();
    patience = context.executor().schedule(() -> context.close(), PATIENCE_SECONDS, SECONDS);
  }

  private static final TimeUnit SECONDS = TimeUnit.SECONDS;

  private void unwatch() {
    if (patience != null) {
      patience.cancel(false);
      patience = null;
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    unwatch();
    giveBack();
    waiting.forEach(ReferenceCountUtil::release);
    waiting.clear();
    if (stream != null) {
      stream.close();
      stream = null;
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (refused != null) {
      passOver(context, message);
      return;
    }
    if (isAnswering) { // sent before the reply was read; its turn comes
      waiting.add(message);
      context.channel().config().setAutoRead(false);
      return;
    }
    try {
      take(context, message);
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  private void take(ChannelHandlerContext context, Object message) {
    if (message instanceof HttpRequest request) {
      begin(context, request);
    }
    if (message instanceof HttpContent content && head != null && !isAnswering) {
      add(context, content.content());
      if (refused != null) {
        noteOf(context, content);
      } else if (message instanceof LastHttpContent) {
        handle(context);
      }
    }
  }

  private void begin(ChannelHandlerContext context, HttpRequest request) {
    isKeptAlive = HttpUtil.isKeepAlive(request);
    if (!request.decoderResult().isSuccess()) {
      refuse(context, 400, "this is not a request");
      return;
    }
    try {
      head = head(context, request);
    } catch (IllegalArgumentException e) {
      refuse(context, 400, "the address cannot be read");
      return;
    }
    body = new ByteArrayOutputStream();
    bodyBytesMax = handler.bodyBytesMax(head);
    if (HttpUtil.getContentLength(request, 0L) > bodyBytesMax) {
      refuse(context, 413, "the body is too long");
    } else if (HttpUtil.is100ContinueExpected(request)) {
      context.writeAndFlush(
          new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE));
    }
  }

  private static HttpHead head(ChannelHandlerContext context, HttpRequest request) {
    var target = new QueryStringDecoder(request.uri());
    Map<String, String> query = new HashMap<>();
    target.parameters().forEach((name, values) -> query.put(name, values.get(0)));
    Map<String, String> headers = new HashMap<>();
    request
        .headers()
        .forEach(
            header ->
                headers.putIfAbsent(header.getKey().toLowerCase(Locale.ROOT), header.getValue()));
    return new HttpHead(
        request.method().name(),
        target.path(),
        Map.copyOf(query),
        Map.copyOf(headers),
        (InetSocketAddress) context.channel().remoteAddress(),
        (InetSocketAddress) context.channel().localAddress(),
        isSecure(context));
  }

  private static boolean isSecure(ChannelHandlerContext context) {
    return context.pipeline().get(SslHandler.class) != null;
  }

  private void add(ChannelHandlerContext context, ByteBuf part) {
    int length = body.size() + part.readableBytes();
    if (length > bodyBytesMax) {
      refuse(context, 413, "the body is too long");
      return;
    }
    if (length > FREE_BODY_BYTES && !count(length - counted)) {
      refuse(context, 503, "there is no memory for so long a body now");
      return;
    }
    try {
      part.readBytes(body, part.readableBytes());
    } catch (IOException e) {
      throw new IllegalStateException(e); // memory does not fail like that
    }
  }

  private boolean count(int bytes) {
    if (!memory.tryTake(MemoryBudget.Use.MESSAGES, bytes, counted)) {
      return false;
    }
    counted += bytes;
    return true;
  }

  private void giveBack() {
    if (counted > 0) {
      memory.give(MemoryBudget.Use.MESSAGES, counted);
      counted = 0;
    }
  }

  private void handle(ChannelHandlerContext context) {
    isAnswering = true;
    unwatch();
    var call = new HttpCall(head, body.toByteArray());
    body = null;
    boolean isHead = head.method().equals("HEAD");
    try {
      workers.execute(() -> run(context, call, isHead));
    } catch (RejectedExecutionException full) {
      reply(context, HttpReply.text(503, "too many requests wait for the console\n"), isHead);
    }
  }

  private void run(ChannelHandlerContext context, HttpCall call, boolean isHead) {
    try {
      handler
          .handle(call)
          .whenComplete(
              (reply, failure) ->
                  context
                      .executor()
                      .execute(
                          () -> reply(context, failure == null ? reply : failed(failure), isHead)));
    } catch (RuntimeException | Error failure) {
      context.executor().execute(() -> reply(context, failed(failure), isHead));
    }
  }

  private static HttpReply failed(Throwable failure) {
    LOG.error("a request to the console failed", failure);
    return HttpReply.text(500, "the console made a mistake; the log has more\n");
  }

  /**
   * Answers before the request is complete. What is left of it is read and thrown away: a
   * connection that is closed with bytes unread is reset, and takes the answer with it.
   */
  private void refuse(ChannelHandlerContext context, int status, String words) {
    isAnswering = true;
    isKeptAlive = false;
    head = null;
    body = null;
    refused = new Refused();
    reply(context, HttpReply.text(status, words + "\n"), false);
  }

  /** What came of a refused request, and whether its answer has been sent. */
  private static final class Refused {
    private long bytes;
    private boolean isComplete;
    private boolean isAnswered;

    boolean isOver() {
      return isAnswered && (isComplete || bytes > LINGER_BYTES_MAX);
    }
  }

  private void passOver(ChannelHandlerContext context, Object message) {
    if (message instanceof HttpContent content) {
      noteOf(context, content);
    }
    ReferenceCountUtil.release(message);
  }

  private void noteOf(ChannelHandlerContext context, HttpContent content) {
    refused.bytes += content.content().readableBytes();
    refused.isComplete |= content instanceof LastHttpContent;
    if (refused.isOver()) {
      context.close();
    }
  }

  private void linger(ChannelHandlerContext context) {
    refused.isAnswered = true;
    if (refused.isOver()) {
      context.close();
      return;
    }
    unwatch();
    patience = context.executor().schedule(() -> context.close(), LINGER_SECONDS, SECONDS);
    if (context.channel() instanceof DuplexChannel plain && !isSecure(context)) {
      plain.shutdownOutput(); // who waits for the end of the answer has it
    }
  }

  private void reply(ChannelHandlerContext context, HttpReply reply, boolean isHead) {
    giveBack();
    HttpReply.Stream parts = reply.stream();
    if (parts == null) {
      var response =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1,
              HttpResponseStatus.valueOf(reply.status()),
              isHead ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(reply.body()));
      fill(response, reply);
      HttpUtil.setContentLength(response, reply.body().length);
      context.writeAndFlush(response).addListener(sent -> ended(context, sent.isSuccess()));
      return;
    }
    var response =
        new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(reply.status()));
    fill(response, reply);
    response.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    stream = parts;
    context.write(response);
    if (isHead) {
      end(context);
    } else {
      sendNext(context);
    }
  }

  private void fill(HttpResponse response, HttpReply reply) {
    reply.headers().forEach((name, value) -> response.headers().set(name, value));
    if (!isKeptAlive) {
      response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    }
  }

  private void sendNext(ChannelHandlerContext context) {
    HttpReply.Stream parts = stream;
    if (parts == null) {
      return; // the browser is gone
    }
    workers.execute(
        () ->
            parts
                .next()
                .whenComplete(
                    (part, failure) ->
                        context.executor().execute(() -> send(context, part, failure))));
  }

  private void send(
      ChannelHandlerContext context, byte @Nullable [] part, @Nullable Throwable failure) {
    if (failure != null) {
      LOG.warn("a long reply of the console was cut short: {}", failure.toString());
      context.close();
    } else if (part == null) {
      end(context);
    } else {
      context
          .writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(part)))
          .addListener(
              sent -> {
                if (sent.isSuccess()) {
                  sendNext(context);
                } else {
                  context.close();
                }
              });
    }
  }

  private void end(ChannelHandlerContext context) {
    if (stream != null) {
      stream.close();
      stream = null;
    }
    context
        .writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT)
        .addListener(sent -> ended(context, sent.isSuccess()));
  }

  private void ended(ChannelHandlerContext context, boolean isSent) {
    if (isSent && refused != null) {
      linger(context);
      return;
    }
    if (!isSent || !isKeptAlive) {
      context.close();
      return;
    }
    isAnswering = false;
    head = null;
    watch(context);
    while (!isAnswering && !waiting.isEmpty()) {
      Object next = waiting.poll();
      try {
        take(context, next);
      } finally {
        ReferenceCountUtil.release(next);
      }
    }
    if (!isAnswering) {
      context.channel().config().setAutoRead(true);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    LOG.debug("a connection to the console was lost: {}", cause.toString());
    context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
  }
}
