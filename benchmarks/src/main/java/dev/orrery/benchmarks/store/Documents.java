package dev.orrery.benchmarks.store;

import dev.orrery.value.LittleEndian;
import dev.orrery.value.RawDocument;
import java.util.Random;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt64;

/** Makes documents of one size: BSON with an {@code _id} and bytes that cannot be compressed. */
final class Documents {
  private static final int ID_OFFSET = 4 + 1 + "_id".length() + 1;
  private static final int OVERHEAD_BYTES = 26;

  private final byte[] pattern;
  private final Random random = new Random(1);

  Documents(int bytes) {
    byte[] filler = new byte[bytes - OVERHEAD_BYTES];
    random.nextBytes(filler);
    pattern =
        RawDocument.of(
                new BsonDocument("_id", new BsonInt64(0)).append("x", new BsonBinary(filler)))
            .toByteArray();
  }

  byte[] document(long id) {
    byte[] document = pattern.clone();
    LittleEndian.putInt64(document, ID_OFFSET, id);
    LittleEndian.putInt64(document, document.length - 1 - Long.BYTES, id * 0x9E3779B97F4A7C15L);
    return document;
  }
}
