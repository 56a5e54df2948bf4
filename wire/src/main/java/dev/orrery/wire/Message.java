package dev.orrery.wire;

/**
 * A request, whole and on heap, its BSON verified. The documents in it are slices of one array that
 * belongs to the message alone, so they stay valid as long as somebody holds them.
 */
public sealed interface Message permits OpMsg, OpQuery, TooDeep {
  Header header();

  /** The command document. */
  DocumentBytes body();

  /** False when the sender does not wait for a reply and would not understand one. */
  boolean expectsReply();

  default int requestId() {
    return header().requestId();
  }

  /** What a message says about itself; the compressor is NOOP when it came uncompressed. */
  record Header(int requestId, int responseTo, Compressor compressor) {}
}
