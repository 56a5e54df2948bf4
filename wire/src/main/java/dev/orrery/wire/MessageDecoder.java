package dev.orrery.wire;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;

/**
 * Cuts the bytes of one connection into messages, at the pace of whoever takes them: what was not
 * asked for stays in the buffers it came in.
 *
 * <p>A message is copied once, from the network's buffer to an array of its own. The length in its
 * header is the peer's word, so the array of a long message grows as bytes arrive, and never to
 * more than twice of what is there; up to the length of a message that came from there before it is
 * made at once. Used by one thread, the connection's event loop.
 */
public final class MessageDecoder implements AutoCloseable {
  /** Room for a message that is still on its way, given without proof. */
  private static final int UNPROVEN_BYTES_MAX = 16 * 1024;

  private static final byte[] NO_BYTES = {};

  private final MessageParser parser = new MessageParser();
  private final ArrayDeque<ByteBuf> received = new ArrayDeque<>(2);

  private boolean closed;
  private byte[] frame = NO_BYTES;
  private int length;
  private int filled;

  /** The longest message so far: to make the peer send that much again would save no memory. */
  private int provenBytes = UNPROVEN_BYTES_MAX;

  /** Takes bytes as they arrived, and with them the duty to release the buffer. */
  public void feed(ByteBuf buffer) {
    if (closed || !buffer.isReadable()) {
      buffer.release();
    } else {
      received.add(buffer);
    }
  }

  /**
   * The next message, or null if it has not arrived in full.
   *
   * @throws WireException if the peer broke the protocol; nothing more is read from it
   */
  public Message poll() {
    try {
      while (!received.isEmpty()) {
        fill(received.peek());
        if (!received.peek().isReadable()) {
          received.poll().release();
        }
        if (filled >= Integer.BYTES && filled == length) {
          return parser.parse(takeFrame());
        }
      }
      return null;
    } catch (WireException e) {
      close();
      throw e;
    }
  }

  /** True if bytes wait that {@link #poll} has not looked at. */
  public boolean hasUnread() {
    return !received.isEmpty();
  }

  @Override
  public void close() {
    closed = true;
    frame = NO_BYTES;
    while (!received.isEmpty()) {
      received.poll().release();
    }
  }

  private void fill(ByteBuf buffer) {
    while (filled < Integer.BYTES && buffer.isReadable()) {
      length |= buffer.readUnsignedByte() << (Byte.SIZE * filled);
      filled++;
      if (filled == Integer.BYTES) {
        start(buffer.readableBytes());
      }
    }
    if (filled >= Integer.BYTES) {
      int count = Math.min(length - filled, buffer.readableBytes());
      if (frame.length < filled + count) {
        grow(filled + count);
      }
      buffer.readBytes(frame, filled, count);
      filled += count;
    }
  }

  private void start(int readable) {
    if (length < WireLimits.HEADER_BYTES || length > WireLimits.MESSAGE_BYTES_MAX) {
      throw new WireException("message has the length " + length);
    }
    int arrived = Integer.BYTES + readable;
    frame = new byte[Math.min(length, Math.max(arrived, provenBytes))];
    LittleEndian.putInt32(frame, 0, length);
  }

  private void grow(int needed) {
    byte[] larger = new byte[Math.min(length, Math.max(needed, 2 * frame.length))];
    System.arraycopy(frame, 0, larger, 0, filled);
    frame = larger;
  }

  private byte[] takeFrame() {
    byte[] whole = frame;
    provenBytes = Math.max(provenBytes, whole.length);
    frame = NO_BYTES;
    length = 0;
    filled = 0;
    return whole;
  }
}
