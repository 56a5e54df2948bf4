package dev.orrery.benchmarks.client;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** A socket with at most one request in flight. */
final class LeanConnection {
  private static final int INITIAL_REPLY_BYTES = 1 << 14;
  private static final int REQUEST_ID_OFFSET = 4;

  private final int number;
  private final SocketChannel channel;
  private final SelectionKey key;
  private ByteBuffer request = buffer(0);
  private ByteBuffer reply = buffer(INITIAL_REPLY_BYTES);
  private int requestId;
  private int leastReplyBytes;
  private long sentAt;

  LeanConnection(int number, InetSocketAddress server, Selector selector) throws IOException {
    this.number = number;
    channel = SocketChannel.open(server);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.configureBlocking(false);
    key = channel.register(selector, SelectionKey.OP_READ, this);
  }

  void send(Traffic traffic) throws IOException {
    if (request.capacity() < traffic.messageBytes()) {
      request = buffer(traffic.messageBytes());
    }
    request.clear();
    leastReplyBytes = traffic.next(number, request);
    request.putInt(REQUEST_ID_OFFSET, ++requestId);
    request.flip();
    sentAt = System.nanoTime();
    write();
  }

  /** Moves bytes as far as the socket lets it; true when the reply is complete. */
  boolean proceed(Histogram latencies) throws IOException {
    if (request.hasRemaining()) {
      write();
      return false;
    }
    if (channel.read(reply) < 0) {
      throw new EOFException("the server closed the connection");
    }
    if (reply.position() < Integer.BYTES) {
      return false;
    }
    int length = reply.getInt(0);
    if (reply.position() < length) {
      makeRoom(length);
      return false;
    }
    latencies.record(System.nanoTime() - sentAt);
    check(length);
    reply.clear();
    return true;
  }

  private void write() throws IOException {
    channel.write(request);
    int interest = request.hasRemaining() ? SelectionKey.OP_WRITE : SelectionKey.OP_READ;
    if (key.interestOps() != interest) {
      key.interestOps(interest);
    }
  }

  private void makeRoom(int length) {
    if (reply.capacity() < length) {
      reply = buffer(length).put(reply.flip());
    }
  }

  private void check(int length) {
    boolean isAnswer = reply.position() == length && reply.getInt(8) == requestId;
    if (!isAnswer || length < leastReplyBytes || !ReplyCheck.isGood(reply)) {
      throw new IllegalStateException(
          "a bad reply of " + length + " bytes: " + Messages.describe(reply.flip()));
    }
  }

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  void close() throws IOException {
    channel.close();
  }
}
