package dev.orrery.server.net;

import dev.orrery.wire.DocumentBytes;
import dev.orrery.wire.Message;
import dev.orrery.wire.MessageDecoder;
import dev.orrery.wire.MessageEncoder;
import dev.orrery.wire.OpMsg;
import dev.orrery.wire.WireException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The two ends of one connection: bytes in, replies out, one request in flight. All fields belong
 * to the connection's event loop.
 *
 * <p>Back-pressure: while a request is in flight, or the client does not take its replies, no
 * further request is decoded. Bytes that arrive meanwhile stay in their buffer, and the socket is
 * not read again before they are used up, so a connection holds one read's worth of bytes at most.
 * A client that waits for its replies never causes a change of the socket's interest.
 *
 * <p>Requests are answered, and replies sent, at the end of the event loop's turn, together with
 * those of other connections; see {@link LoopTurn}.
 */
final class ConnectionHandler extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionHandler.class);

  private static final int COUNTED_REPLY_BYTES_MIN = 64 << 10;

  /** How much of a long reply is sent at a time. */
  private static final int PART_BYTES = 256 << 10;

  /** So much of a message, or of a long reply, has to go over the wire in so many seconds. */
  private static final int PROGRESS_SECONDS = 10;

  private static final int PROGRESS_BYTES_MIN = 16 << 10;

  /** And such a part of what is left of a reply. */
  private static final int PROGRESS_SHARE = 16;

  /** How soon a connection looks again for room. */
  private static final int RETRY_MILLIS = 20;

  private final int id;
  private final RequestHandler requests;
  private final LoopTurn turn;
  private final NetMemory memory;
  private final NetMemory.Room room;
  private final MessageDecoder decoder;

  private ChannelHandlerContext context;
  private MessageEncoder encoder;
  private Connection connection;
  private int lastReplyId;
  private boolean isAnswering;
  private boolean isDraining;
  private boolean isUnread;
  private boolean isUnsent;
  private boolean isStopping;
  private boolean isWatched;
  private boolean isRetrying;
  private boolean isReplyWatched;
  private boolean isSending;

  /** What is answered next although nobody sent it; null but for streams. */
  private @Nullable OpMsg streamed;

  /** What is left of the long reply on its way. */
  private int unsentBytes;

  /** How many messages came as a whole; what is unfinished belongs to the next one. */
  private long messages;

  ConnectionHandler(int id, RequestHandler requests, LoopTurn turn, NetMemory memory) {
    this.id = id;
    this.requests = requests;
    this.turn = turn;
    this.memory = memory;
    this.room = memory.room(() -> requests.knows(connection));
    this.decoder = new MessageDecoder(room);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    this.context = context;
    encoder = new MessageEncoder(context.alloc());
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    var channel = context.channel();
    connection =
        new Connection(
            id,
            (InetSocketAddress) channel.remoteAddress(),
            (InetSocketAddress) channel.localAddress(),
            channel.eventLoop(),
            channel::close);
    // The handshake comes later, so who the client is can be asked, not told.
    connection.certificateFrom(() -> TlsTransport.peerSubject(channel.pipeline()));
    turn.opened();
    requests.opened(connection);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    decoder.close();
    if (!isAnswering) {
      room.clear();
    }
    if (connection != null) {
      turn.closed();
      requests.closed(connection);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object bytes) {
    decoder.feed((ByteBuf) bytes);
    if (isUnread) {
      drain(); // a long message: what has come of it must not fill the memory
    } else {
      isUnread = true;
      turn.addRead(this);
    }
  }

  /** The client sends nothing more, but what it sent is to be done and answered. */
  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof ChannelInputShutdownEvent) {
      drain();
      context.flush();
      isStopping |= isSending;
      if (!isSending) {
        context.close();
      }
    }
    context.fireUserEventTriggered(event);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    drain();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    Throwable lost = cause instanceof DecoderException ? cause.getCause() : cause;
    if (lost instanceof IOException) { // a failed handshake is one as well
      LOG.debug("{} was lost: {}", connection, lost.toString());
    } else {
      LOG.error("{} is closed after a bug", connection, cause);
    }
    context.close();
  }

  /** Closes the connection after a failure that nothing else met; never throws. */
  void broke(Throwable cause) {
    try {
      exceptionCaught(context, cause);
    } catch (RuntimeException | Error again) {
      context.channel().unsafe().closeForcibly(); // no memory is left to do it in order
    }
  }

  /** Closes the connection once the request in flight is answered, at once if there is none. */
  void stop() {
    context
        .executor()
        .execute(
            () -> {
              isStopping = true;
              closeIfStopped();
            });
  }

  /** Starts requests one after another for as long as each is answered at once. */
  private void drain() {
    if (isDraining) {
      return; // a reply on the spot; the loop below goes on
    }
    isDraining = true;
    try {
      while (mayStart()) {
        Message request = next();
        if (request == null) {
          break;
        }
        isAnswering = true;
        requests.handle(connection, request, new Reply(request));
      }
    } catch (WireException e) {
      LOG.info("{} from {} is closed: {}", connection, connection.remote(), e.getMessage());
      context.flush(); // earlier requests were good, their replies are owed
      context.close();
    } catch (RuntimeException | Error e) {
      isAnswering = false;
      room.clear();
      exceptionCaught(context, e);
    } finally {
      isDraining = false;
    }
    boolean mayRead = !decoder.hasUnread();
    if (decoder.isShort()) {
      retryLater();
    }
    if (!isWatched && decoder.unfinishedBytes() > 0 && room.isCounted()) {
      watch(decoder.unfinishedBytes());
    }
    if (context.channel().config().isAutoRead() != mayRead) { // nearly never: setting it is dear
      context.channel().config().setAutoRead(mayRead);
    }
  }

  /** The request to be answered now; null when there is none. */
  private @Nullable Message next() {
    Message next = streamed;
    if (next != null) {
      streamed = null;
      return next;
    }
    next = decoder.poll();
    if (next != null) {
      messages++;
    }
    return next;
  }

  /** Looks for room again soon. */
  private void retryLater() {
    if (!isRetrying) {
      isRetrying = true;
      context.executor().schedule(this::retry, RETRY_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void retry() {
    isRetrying = false;
    if (context.channel().isActive()) {
      drain();
    }
  }

  /** A message must not take memory from others for ever because its client sends no more of it. */
  private void watch(int before) {
    isWatched = true;
    long complete = messages;
    context
        .executor()
        .schedule(() -> requireMore(before, complete), PROGRESS_SECONDS, TimeUnit.SECONDS);
  }

  private void requireMore(int before, long complete) {
    int now = decoder.unfinishedBytes();
    if (now == 0 || isAnswering || !context.channel().isActive()) {
      isWatched = false;
      return;
    }
    boolean hasMore = !room.isStranger() && now >= before + PROGRESS_BYTES_MIN;
    if (messages != complete || hasMore || decoder.isShort()) {
      watch(now);
      return;
    }
    LOG.warn(
        "{} from {} is closed: of a message it sent {} bytes, and hardly more for {} s",
        connection,
        connection.remote(),
        now,
        PROGRESS_SECONDS);
    context.close();
  }

  private boolean mayStart() {
    return !isAnswering && !isSending && !isStopping && context.channel().isWritable();
  }

  /** Works off what was read. */
  void work() {
    isUnread = false;
    drain();
  }

  /** Sends the replies that are ready. */
  void flush() {
    isUnsent = false;
    context.flush();
  }

  private void answerOrBreak(Reply reply, DocumentBytes document, int counted) {
    try {
      answer(reply, document, counted);
    } catch (RuntimeException | Error e) {
      broke(e); // or the client would wait for ever
    }
  }

  /**
   * @param counted how much of the memory for replies was taken for it
   */
  private void answer(Reply reply, DocumentBytes document, int counted) {
    Message request = reply.request;
    OpMsg next = isStopping ? null : reply.next;
    isAnswering = false;
    room.clear();
    boolean isSent = false;
    try {
      if (request.expectsReply() && context.channel().isActive()) {
        int id = ++lastReplyId;
        streamed = next == null ? null : next.withRequestId(id);
        send(encoder.encodeReply(request, id, document, next != null), counted);
        isSent = true;
        flushSoon();
      }
    } finally {
      if (!isSent) {
        memory.giveReply(counted);
      }
    }
    if (!isDraining) {
      drain();
    }
    closeIfStopped();
  }

  private void send(ByteBuf reply, int counted) {
    if (counted == 0) {
      context.write(reply, context.voidPromise());
      return;
    }
    isSending = true;
    sendPart(reply, counted);
    if (!isReplyWatched) {
      watchReplies(Long.MAX_VALUE, 0);
    }
  }

  /**
   * Sends a long reply by parts, each when the client has taken the one before: what is on its way
   * is copied to memory outside of the heap, of which there is little.
   */
  private void sendPart(ByteBuf reply, int counted) {
    unsentBytes = reply.readableBytes();
    ByteBuf part = reply.readRetainedSlice(Math.min(PART_BYTES, reply.readableBytes()));
    context.writeAndFlush(part).addListener(sent -> partSent(reply, counted, sent.isSuccess()));
  }

  private void partSent(ByteBuf reply, int counted, boolean isSuccess) {
    if (isSuccess && reply.isReadable()) {
      sendPart(reply, counted);
      return;
    }
    isSending = false;
    reply.release();
    memory.giveReply(counted);
    if (context.channel().isActive()) {
      drain();
      closeIfStopped();
    }
  }

  /** A client that does not take its long replies makes way for others when they are many. */
  private void watchReplies(long before, int replyBefore) {
    long now = isSending ? unsentBytes : 0;
    isReplyWatched = now > 0;
    int reply = lastReplyId; // later ones are only sent when earlier ones were taken
    if (now > 0
        && before - now < Math.max(PROGRESS_BYTES_MIN, before / PROGRESS_SHARE)
        && reply == replyBefore
        && memory.areRepliesMany()) {
      LOG.warn("{} from {} is closed: it takes no replies", connection, connection.remote());
      context.close();
    } else if (now > 0) {
      context
          .executor()
          .schedule(() -> watchReplies(now, reply), PROGRESS_SECONDS, TimeUnit.SECONDS);
    }
  }

  private void flushSoon() {
    if (!isUnsent) {
      isUnsent = true;
      turn.addAnswered(this);
    }
  }

  private void closeIfStopped() {
    if (isStopping && !isAnswering && !isSending) {
      context.flush();
      context.close();
    }
  }

  /** The one reply to one request. */
  private final class Reply implements ReplySink {
    private final Message request;
    private final AtomicBoolean isComplete = new AtomicBoolean();

    /** What is answered after it without being sent; null when the client is to send something. */
    private @Nullable OpMsg next;

    Reply(Message request) {
      this.request = request;
    }

    @Override
    public void reply(DocumentBytes document) {
      complete();
      int counted = document.length() <= COUNTED_REPLY_BYTES_MIN ? 0 : document.length();
      memory.takeReply(counted);
      var loop = context.executor();
      if (loop.inEventLoop()) {
        answer(this, document, counted);
        return;
      }
      try {
        loop.execute(() -> answerOrBreak(this, document, counted));
      } catch (RejectedExecutionException e) {
        LOG.debug("{} was closed before its reply was ready", connection);
        memory.giveReply(counted);
        room.clear(); // the loop has ended, and will not do it
      }
    }

    @Override
    public void replyAndGoOn(DocumentBytes document, OpMsg following) {
      next = following;
      reply(document);
    }

    @Override
    public void replyShared(DocumentBytes document) {
      boolean isCopied = document.length() <= MessageEncoder.COPIED_BYTES_MAX;
      if (isCopied && context.executor().inEventLoop()) {
        reply(document); // written before this returns
      } else {
        reply(DocumentBytes.of(document.copy()));
      }
    }

    @Override
    public void hangUp() {
      isComplete.set(true); // a reply that could not be sent was complete before
      try {
        context.executor().execute(this::end);
      } catch (RejectedExecutionException e) {
        LOG.debug("{} was closed before it could be hung up", connection);
        room.clear();
      }
    }

    private void end() {
      isAnswering = false;
      room.clear();
      context.close();
    }

    private void complete() {
      if (isComplete.getAndSet(true)) {
        throw new IllegalStateException("a request was answered twice");
      }
    }
  }
}
