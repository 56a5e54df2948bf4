package dev.orrery.wire;

import dev.orrery.value.LittleEndian;
import dev.orrery.wire.Message.Header;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Reads one whole message out of an array and checks all of it. Not for use by two threads at a
 * time.
 *
 * <pre>
 * every message   length, request id, response to, opcode: int32
 * OP_MSG          flags: int32, sections, [CRC-32C: int32]
 *   kind 0        0: byte, document
 *   kind 1        1: byte, { length: int32, name: cstring, documents }
 * OP_QUERY        flags: int32, namespace: cstring, skip, return: int32, query, [fields]: document
 * OP_COMPRESSED   original opcode, unpacked length: int32, compressor: byte, packed bytes
 * </pre>
 */
public final class MessageParser {
  private static final int COMPRESSED_HEADER_BYTES = WireLimits.HEADER_BYTES + 9;

  /** Commands have one or two; the bound keeps the search for doubled names short. */
  static final int SEQUENCES_MAX = 16;

  private static final DocumentBytes EMPTY = DocumentBytes.of(new byte[] {5, 0, 0, 0, 0});

  private final BsonValidator validator = new BsonValidator();
  private byte[] bytes = {};
  private int at;
  private int end;

  /**
   * The message in these bytes, which belong to it from now on.
   *
   * @param frame header and all, as long as its first four bytes say
   */
  public Message parse(byte[] frame) {
    try {
      return frame(frame);
    } finally {
      bytes = new byte[0]; // an idle connection must not keep its last request alive
    }
  }

  /**
   * What a message needs to be parsed, itself included: a packed one is unpacked beside itself.
   *
   * @param frame a whole message
   */
  int unpackedLength(byte[] frame, int length) {
    boolean isPacked =
        length >= COMPRESSED_HEADER_BYTES
            && LittleEndian.int32(frame, 12) == OpCode.OP_COMPRESSED.number();
    int announced = isPacked ? LittleEndian.int32(frame, 20) : 0;
    // More than that is refused when it is unpacked, in better words.
    return length + Math.max(0, Math.min(announced, WireLimits.MESSAGE_BYTES_MAX - length));
  }

  private Message frame(byte[] frame) {
    int opCode = LittleEndian.int32(frame, 12);
    if (OpCode.require(opCode) != OpCode.OP_COMPRESSED) {
      return message(frame, Compressor.NOOP);
    }
    if (frame.length < COMPRESSED_HEADER_BYTES) {
      throw new WireException("compressed message is too short");
    }
    var compressor = Compressor.require(frame[24]);
    int announced = LittleEndian.int32(frame, 20);
    byte[] plain =
        compressor.decompress(frame, COMPRESSED_HEADER_BYTES, WireLimits.HEADER_BYTES, announced);
    // The header that the message had before it was compressed.
    LittleEndian.putInt32(plain, 0, plain.length);
    System.arraycopy(frame, 4, plain, 4, 8);
    LittleEndian.putInt32(plain, 12, LittleEndian.int32(frame, 16));
    return message(plain, compressor);
  }

  private Message message(byte[] frame, Compressor compressor) {
    bytes = frame;
    at = WireLimits.HEADER_BYTES;
    end = frame.length;
    var header = new Header(LittleEndian.int32(frame, 4), LittleEndian.int32(frame, 8), compressor);
    var opCode = OpCode.require(LittleEndian.int32(frame, 12));
    return switch (opCode) {
      case OP_REPLY -> throw new WireException("a reply came where a request was expected");
      case OP_QUERY -> opQuery(header);
      case OP_COMPRESSED -> throw new WireException("a compressed message inside another");
      case OP_MSG -> opMsg(header);
    };
  }

  private Message opMsg(Header header) {
    int flags = int32();
    try {
      return opMsg(header, flags);
    } catch (DeepMessageException e) {
      return new TooDeep(new OpMsg(header, flags, EMPTY, List.of()), e.path());
    }
  }

  private Message opQuery(Header header) {
    int flags = int32();
    String namespace = cstring(end);
    try {
      return opQuery(header, flags, namespace);
    } catch (DeepMessageException e) {
      return new TooDeep(new OpQuery(header, flags, namespace, 1, EMPTY), e.path());
    }
  }

  private OpMsg opMsg(Header header, int flags) {
    if ((flags & OpMsg.UNKNOWN_REQUIRED) != 0) {
      throw new WireException("OP_MSG has unknown flags 0x" + Integer.toHexString(flags));
    }
    if ((flags & OpMsg.CHECKSUM_PRESENT) != 0) {
      cutChecksum();
    }
    DocumentBytes body = null;
    List<DocumentSequence> sequences = List.of();
    while (at < end) {
      int kind = bytes[at++];
      if (kind == 0 && body == null) {
        body = document(end);
      } else if (kind == 1) {
        sequences = plus(sequences, sequence());
      } else {
        throw new WireException(
            kind == 0 ? "OP_MSG has two bodies" : "OP_MSG has a section of kind " + kind);
      }
    }
    if (body == null) {
      throw new WireException("OP_MSG has no body");
    }
    return new OpMsg(header, flags, body, sequences);
  }

  private void cutChecksum() {
    int from = end - Integer.BYTES;
    if (from < at) {
      throw new WireException("OP_MSG has no room for its checksum");
    }
    var checksum = new CRC32C();
    checksum.update(bytes, 0, from);
    if ((int) checksum.getValue() != LittleEndian.int32(bytes, from)) {
      throw new WireException("OP_MSG does not match its checksum");
    }
    end = from;
  }

  private static List<DocumentSequence> plus(
      List<DocumentSequence> sequences, DocumentSequence next) {
    for (DocumentSequence earlier : sequences) {
      if (earlier.name().equals(next.name())) {
        throw new WireException("OP_MSG has two document sequences " + next.name());
      }
    }
    if (sequences.isEmpty()) {
      return List.of(next); // what nearly every message has
    }
    if (sequences.size() == SEQUENCES_MAX) {
      throw new WireException("OP_MSG has too many document sequences");
    }
    var all = new ArrayList<>(sequences);
    all.add(next);
    return Collections.unmodifiableList(all);
  }

  private DocumentSequence sequence() {
    int start = at;
    int length = int32();
    if (length < Integer.BYTES || length > end - start) {
      throw new WireException("a document sequence has the length " + length);
    }
    int sequenceEnd = start + length;
    String name = cstring(sequenceEnd);
    var documents = new ArrayList<DocumentBytes>();
    while (at < sequenceEnd) {
      documents.add(document(sequenceEnd));
    }
    return new DocumentSequence(name, Collections.unmodifiableList(documents));
  }

  private OpQuery opQuery(Header header, int flags, String namespace) {
    int32(); // documents to skip: a command has one reply
    int numberToReturn = int32();
    var query = document(end);
    if (at < end) {
      document(end); // the fields to return: a command returns all
    }
    if (at < end) {
      throw new WireException("OP_QUERY has bytes after its last document");
    }
    return new OpQuery(header, flags, namespace, numberToReturn, query);
  }

  private int int32() {
    if (end - at < Integer.BYTES) {
      throw new WireException("message is truncated");
    }
    int value = LittleEndian.int32(bytes, at);
    at += Integer.BYTES;
    return value;
  }

  private String cstring(int limit) {
    int from = at;
    int terminator = from;
    while (terminator < limit && bytes[terminator] != 0) {
      terminator++;
    }
    if (terminator == limit) {
      throw new WireException("a name is not terminated");
    }
    Utf8.requireValid(bytes, from, terminator);
    at = terminator + 1;
    return new String(bytes, from, terminator - from, StandardCharsets.UTF_8);
  }

  private DocumentBytes document(int limit) {
    int from = at;
    at = validator.validate(bytes, from, limit);
    return new DocumentBytes(bytes, from, at - from);
  }
}
