package dev.orrery.wire;

/** What a peer may send. Past a limit of the frame its connection is closed. */
public final class WireLimits {
  /** Length, request id, response to, opcode: four little-endian 32-bit numbers. */
  public static final int HEADER_BYTES = 16;

  /** The longest message, its header included, and the longest that a compressed one unpacks to. */
  public static final int MESSAGE_BYTES_MAX = 48_000_000;

  /** The longest document that can be stored. */
  public static final int DOCUMENT_BYTES_MAX = 16 * 1024 * 1024;

  /**
   * The longest document of a command or a reply: room for a stored document and what surrounds it.
   * The decoder lets longer ones pass, so that they are answered with an error on an open
   * connection.
   */
  public static final int INTERNAL_DOCUMENT_BYTES_MAX = DOCUMENT_BYTES_MAX + 16 * 1024;

  /** The deepest nesting of documents and arrays, counting the outermost document. */
  public static final int NESTING_DEPTH_MAX = 201;

  private WireLimits() {}
}
