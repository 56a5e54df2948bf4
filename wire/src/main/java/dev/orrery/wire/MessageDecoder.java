package dev.orrery.wire;

import dev.orrery.value.LittleEndian;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the bytes of one connection into messages, at the pace of whoever takes them: what was not
 * asked for stays in the buffers it came in, and so does what there is no room for.
 *
 * <p>A message is copied once, from the network's buffer to an array of its own. The length in its
 * header is the peer's word, so the array of a long message grows as bytes arrive, and never to
 * more than four times of what is there; up to the length of a message that came from there before
 * it is made at once. Used by one thread, the connection's event loop.
 */
public final class MessageDecoder implements AutoCloseable {
  /** Room for a message that is still on its way, given without proof. */
  private static final int UNPROVEN_BYTES_MAX = 4 * 1024;

  /** As soon as so large a part of a message is there, there is room for all of it. */
  private static final int PROOF_SHARE = 4;

  private static final byte[] NO_BYTES = {};

  private final MessageParser parser = new MessageParser();
  private final ArrayDeque<ByteBuf> received = new ArrayDeque<>(2);
  private final MessageRoom room;

  private boolean closed;
  private byte[] frame = NO_BYTES;
  private int length;
  private int filled;
  private int taken;
  private boolean isShort;

  /** The longest message so far: to make the peer send that much again would save no memory. */
  private int provenBytes = UNPROVEN_BYTES_MAX;

  public MessageDecoder() {
    this(MessageRoom.UNLIMITED);
  }

  public MessageDecoder(MessageRoom room) {
    this.room = room;
  }

  /** Takes bytes as they arrived, and with them the duty to release the buffer. */
  public void feed(ByteBuf buffer) {
    if (closed || !buffer.isReadable()) {
      buffer.release();
    } else {
      received.add(buffer);
    }
  }

  /**
   * The next message, or null if it has not arrived in full or there is no room for it now.
   *
   * @throws WireException if the peer broke the protocol; nothing more is read from it
   */
  public @Nullable Message poll() {
    isShort = false;
    try {
      while (!received.isEmpty() || isWhole()) {
        if (!isWhole() && !fill(received.peek())) {
          return null;
        }
        if (!received.isEmpty() && !received.peek().isReadable()) {
          received.poll().release();
        }
        if (isWhole()) {
          return take(parser.unpackedLength(frame, length)) ? parser.parse(takeFrame()) : null;
        }
      }
      return null;
    } catch (WireException e) {
      close();
      throw e;
    }
  }

  /** True if bytes wait that {@link #poll} has not looked at, or had no room for. */
  public boolean hasUnread() {
    return !received.isEmpty() || isWhole();
  }

  /** How much of a message is there that has not arrived in full; 0 between two messages. */
  public int unfinishedBytes() {
    return filled;
  }

  /** Whether the last {@link #poll} found no room; another one may. */
  public boolean isShort() {
    return isShort;
  }

  private boolean isWhole() {
    return filled >= Integer.BYTES && filled == length;
  }

  @Override
  public void close() {
    closed = true;
    frame = NO_BYTES;
    length = 0;
    filled = 0;
    while (!received.isEmpty()) {
      received.poll().release();
    }
  }

  /** Copies what is there; false if there is no room for it. */
  private boolean fill(ByteBuf buffer) {
    while (filled < Integer.BYTES && buffer.isReadable()) {
      length |= buffer.readUnsignedByte() << (Byte.SIZE * filled);
      filled++;
      if (filled == Integer.BYTES) {
        requireLength(length);
        room.announce(length);
      }
    }
    if (filled >= Integer.BYTES) {
      int count = Math.min(length - filled, buffer.readableBytes());
      if (!makeRoom(filled + count)) {
        return false;
      }
      buffer.readBytes(frame, filled, count);
      filled += count;
    }
    return true;
  }

  private void requireLength(int bytes) {
    if (bytes < WireLimits.HEADER_BYTES || bytes > WireLimits.MESSAGE_BYTES_MAX) {
      throw new WireException("message has the length " + bytes);
    }
    if (bytes > room.lengthMax()) {
      throw new WireException(
          "message has the length " + bytes + ", only " + room.lengthMax() + " are allowed yet");
    }
  }

  /** Makes the array so long, and longer if there is reason and room; false without room. */
  private boolean makeRoom(int needed) {
    if (frame.length >= needed && frame.length > 0) {
      return true;
    }
    boolean isProven = length <= provenBytes || needed >= length / PROOF_SHARE;
    int larger = Math.max(needed, Math.max(2 * frame.length, provenBytes));
    int hoped = isProven ? length : Math.min(length, larger);
    if (take(hoped)) {
      resize(hoped);
      return true;
    }
    int least = Math.min(length, Math.max(needed, UNPROVEN_BYTES_MAX));
    if (least < hoped && take(least)) {
      resize(least);
      return true;
    }
    return false;
  }

  private boolean take(int bytes) {
    if (bytes <= taken) {
      return true;
    }
    if (bytes > room.lengthMax()) {
      requireLength(bytes);
    }
    isShort = !room.take(bytes - taken);
    taken = isShort ? taken : bytes;
    return !isShort;
  }

  private void resize(int bytes) {
    boolean isNew = frame.length == 0;
    frame = Arrays.copyOf(frame, bytes);
    if (isNew) {
      LittleEndian.putInt32(frame, 0, length);
    }
  }

  private byte[] takeFrame() {
    byte[] whole = frame;
    provenBytes = Math.max(provenBytes, whole.length);
    frame = NO_BYTES;
    length = 0;
    filled = 0;
    taken = 0;
    return whole;
  }
}
