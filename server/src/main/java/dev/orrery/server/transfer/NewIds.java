package dev.orrery.server.transfer;

import dev.orrery.value.RawDocument;
import dev.orrery.value.RawValue;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.random.RandomGenerator;
import org.bson.BsonDocument;

/**
 * Gives an {@code _id} to documents that have none. The n-th record of a source always gets the
 * same one, so an import that was interrupted writes no document twice when it goes on.
 */
final class NewIds {
  private static final int SEED_BYTES = 9;
  private static final int ID_ELEMENT_BYTES = 1 + 4 + 12;
  private static final byte[] NAME = {'_', 'i', 'd'};
  private static final byte OBJECT_ID = 7;

  private final int seconds;
  private final byte[] random;

  private NewIds(int seconds, byte[] random) {
    this.seconds = seconds;
    this.random = random;
  }

  static NewIds create(long epochSecond, RandomGenerator random) {
    byte[] bytes = new byte[5];
    random.nextBytes(bytes);
    return new NewIds((int) epochSecond, bytes);
  }

  /** The ids that an earlier import gave; the text is that of {@link #toString()}. */
  static NewIds parse(String seed) {
    var bytes = ByteBuffer.wrap(HexFormat.of().parseHex(seed));
    byte[] random = new byte[5];
    int seconds = bytes.getInt();
    bytes.get(random);
    return new NewIds(seconds, random);
  }

  /** The document as it will be stored: it begins with its {@code _id}, or with a new one. */
  RawDocument withId(RawDocument document, long ordinal) {
    RawValue id = document.field(NAME);
    if (id != null) {
      var elements = document.elements();
      return elements.next() && elements.nameEquals(NAME) ? document : withIdFirst(document, id);
    }
    int length = document.length() + ID_ELEMENT_BYTES;
    var bytes = ByteBuffer.allocate(length);
    bytes.putInt(Integer.reverseBytes(length)).put(OBJECT_ID).put(NAME).put((byte) 0);
    bytes.putInt(seconds + (int) (ordinal >>> 24)).put(random);
    bytes.put((byte) (ordinal >>> 16)).put((byte) (ordinal >>> 8)).put((byte) ordinal);
    bytes.put(document.bytes(), document.offset() + 4, document.length() - 4);
    return RawDocument.wrap(bytes.array());
  }

  private static RawDocument withIdFirst(RawDocument document, RawValue id) {
    var reordered = new BsonDocument("_id", id.toBsonValue());
    reordered.putAll(document.toBsonDocument());
    return RawDocument.of(reordered);
  }

  @Override
  public String toString() {
    byte[] bytes = ByteBuffer.allocate(SEED_BYTES).putInt(seconds).put(random).array();
    return HexFormat.of().formatHex(bytes);
  }
}
