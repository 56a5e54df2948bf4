package dev.orrery.wire;

import java.util.List;

/** The message of today: a command or a reply, with its document sequences. */
public record OpMsg(Header header, int flags, DocumentBytes body, List<DocumentSequence> sequences)
    implements Message {
  /** A CRC-32C of all bytes before it ends the message. */
  public static final int CHECKSUM_PRESENT = 1;

  /** Another message follows without being asked for; in a request: send no reply. */
  public static final int MORE_TO_COME = 1 << 1;

  /** The sender could take several replies to this request; one is always allowed. */
  public static final int EXHAUST_ALLOWED = 1 << 16;

  /** The lower sixteen bits change how a message has to be read, so none may be overlooked. */
  static final int UNKNOWN_REQUIRED = 0xffff & ~(CHECKSUM_PRESENT | MORE_TO_COME);

  @Override
  public boolean expectsReply() {
    return !has(MORE_TO_COME);
  }

  /** The same message under another number, as an answer to which another one belongs. */
  public OpMsg withRequestId(int id) {
    return new OpMsg(
        new Header(id, header.responseTo(), header.compressor()), flags, body, sequences);
  }

  public boolean has(int flag) {
    return (flags & flag) != 0;
  }
}
