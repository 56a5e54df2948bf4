package dev.orrery.benchmarks.client;

import java.nio.ByteBuffer;

/**
 * Reads just enough of a reply to know that it is a good one: {@code ok} is 1, there are no write
 * errors, and {@code n}, where there is one, is not 0.
 */
final class ReplyCheck {
  private static final int OK = name("ok");
  private static final int N = name("n");
  private static final int WRITE_ERRORS = name("writeErrors");

  private ReplyCheck() {}

  /** Looks at the whole message that starts at the buffer's index 0. */
  static boolean isGood(ByteBuffer reply) {
    int position = Messages.BODY_OFFSET;
    int end = position + reply.getInt(position) - 1;
    position += Integer.BYTES;
    boolean ok = false;
    while (position < end) {
      byte type = reply.get(position++);
      int name = 0;
      for (byte letter = reply.get(position++); letter != 0; letter = reply.get(position++)) {
        name = 31 * name + letter;
      }
      if (name == OK) {
        ok = number(reply, type, position) == 1;
      } else if (name == WRITE_ERRORS || name == N && number(reply, type, position) == 0) {
        return false;
      }
      position += size(reply, type, position);
    }
    return ok;
  }

  private static int name(String text) {
    return text.hashCode();
  }

  private static double number(ByteBuffer reply, byte type, int position) {
    return switch (type) {
      case 0x01 -> reply.getDouble(position);
      case 0x10 -> reply.getInt(position);
      case 0x12 -> reply.getLong(position);
      default -> Double.NaN;
    };
  }

  private static int size(ByteBuffer reply, byte type, int position) {
    return switch (type) {
      case 0x01, 0x09, 0x11, 0x12 -> Long.BYTES;
      case 0x02 -> Integer.BYTES + reply.getInt(position);
      case 0x03, 0x04 -> reply.getInt(position);
      case 0x05 -> Integer.BYTES + 1 + reply.getInt(position);
      case 0x07 -> 12;
      case 0x08 -> 1;
      case 0x0A -> 0;
      case 0x10 -> Integer.BYTES;
      default -> throw new IllegalStateException("a reply with a value of type " + type);
    };
  }
}
