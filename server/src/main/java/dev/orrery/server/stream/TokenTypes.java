package dev.orrery.server.stream;

import dev.orrery.value.RawDocument;
import dev.orrery.value.RawElements;
import dev.orrery.value.RawTypes;
import java.util.BitSet;
import org.bson.BsonBinary;
import org.bson.BsonDocument;

/**
 * The field {@code _typeBits} of a token: the types of the numbers in the document's key, where
 * they are not those that MongoDB takes for granted.
 */
final class TokenTypes {
  /** Three numbers of four bytes, of two bits each, and the text of the operation's type. */
  private static final int BEFORE_KEY = 3 * 2 + 1;

  private static final int SIZE_FLAG = 0x80;

  private final BitSet bits = new BitSet();
  private int length = BEFORE_KEY;

  private TokenTypes() {}

  /**
   * Adds the field, if there is something to say.
   *
   * @param identifier the key of a document, or the description of what happened to a collection
   */
  static void add(BsonDocument token, RawDocument identifier) {
    var types = new TokenTypes();
    types.add(identifier);
    if (!types.bits.isEmpty()) {
      token.append("_typeBits", new BsonBinary(types.bytes()));
    }
  }

  private void add(RawDocument document) {
    RawElements elements = document.elements();
    while (elements.next()) {
      if (elements.type() == RawTypes.DOCUMENT || elements.type() == RawTypes.ARRAY) {
        add(elements.value().asDocument());
      } else {
        add(elements.type());
      }
    }
  }

  private void add(byte type) {
    switch (type) {
      case RawTypes.INT32 -> length += 2;
      case RawTypes.INT64 -> {
        bits.set(length + 1);
        length += 2;
      }
      case RawTypes.DOUBLE -> {
        bits.set(length);
        length += 2;
      }
      case RawTypes.STRING -> length++;
      default -> {}
    }
  }

  private byte[] bytes() {
    int count = (length + Byte.SIZE - 1) / Byte.SIZE;
    byte[] bytes = new byte[1 + count];
    bytes[0] = (byte) (SIZE_FLAG | count);
    byte[] set = bits.toByteArray();
    System.arraycopy(set, 0, bytes, 1, set.length);
    return bytes;
  }
}
