package dev.orrery.server.transfer;

import dev.orrery.server.transfer.source.CollectionMetadata;
import dev.orrery.server.transfer.source.RecordReader;
import dev.orrery.server.transfer.source.Source;
import dev.orrery.server.transfer.source.SourceCollection;
import dev.orrery.server.transfer.source.SourceRecord;
import dev.orrery.value.Namespace;
import dev.orrery.value.RawDocument;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonObjectId;
import org.bson.BsonRegularExpression;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.bson.types.ObjectId;

/** Documents by chance, and short ways to read and write them, for the tests of this package. */
public final class TransferTesting {
  private TransferTesting() {}

  public static InputStream stream(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  public static BsonDocument document(String json) {
    return BsonDocument.parse(json);
  }

  /** All documents, decoded. */
  public static List<BsonDocument> all(RecordReader reader) throws IOException {
    var documents = new ArrayList<BsonDocument>();
    for (SourceRecord next = reader.next(); next != null; next = reader.next()) {
      documents.add(next.document().toBsonDocument());
    }
    return documents;
  }

  public static SourceCollection collection(String database, String name) {
    return new SourceCollection(new Namespace(database, name), CollectionMetadata.bare(name));
  }

  public static byte[] bytes(List<BsonDocument> documents) throws IOException {
    var out = new ByteArrayOutputStream();
    for (BsonDocument document : documents) {
      out.write(RawDocument.of(document).toByteArray());
    }
    return out.toByteArray();
  }

  public static List<BsonDocument> random(long seed, int count) {
    var random = new Random(seed);
    var documents = new ArrayList<BsonDocument>();
    for (int i = 0; i < count; i++) {
      documents.add(randomDocument(random, 3).append("_id", new BsonInt32(i)));
    }
    return documents;
  }

  private static BsonDocument randomDocument(Random random, int depth) {
    var document = new BsonDocument();
    int size = random.nextInt(6);
    for (int i = 0; i < size; i++) {
      document.append(randomText(random) + i, randomValue(random, depth));
    }
    return document;
  }

  private static String randomText(Random random) {
    String alphabet = "ab\"\\{}[],: \n\t\u0001ü€\uD83D\uDE00/'$.";
    var text = new StringBuilder();
    for (int i = random.nextInt(8); i > 0; i--) {
      int[] points = alphabet.codePoints().toArray();
      text.appendCodePoint(points[random.nextInt(points.length)]);
    }
    return text.toString();
  }

  private static BsonValue randomValue(Random random, int depth) {
    return switch (random.nextInt(depth == 0 ? 12 : 14)) {
      case 0 -> new BsonInt32(random.nextInt());
      case 1 -> new BsonInt64(random.nextLong());
      case 2 -> new BsonDouble(random.nextGaussian());
      case 3 -> new BsonDouble(random.nextBoolean() ? Double.NaN : Double.NEGATIVE_INFINITY);
      case 4 -> new BsonString(randomText(random));
      case 5 -> BsonBoolean.valueOf(random.nextBoolean());
      case 6 -> BsonNull.VALUE;
      case 7 -> new BsonDateTime(random.nextLong() >> 16);
      case 8 -> new BsonObjectId(new ObjectId(random.nextInt(), random.nextInt(1 << 24)));
      case 9 -> new BsonDecimal128(new Decimal128(random.nextLong()));
      case 10 -> new BsonTimestamp(random.nextInt(1 << 30), random.nextInt(1 << 30));
      case 11 -> new BsonBinary((byte) 0, randomText(random).getBytes(StandardCharsets.UTF_8));
      case 12 -> randomDocument(random, depth - 1);
      default ->
          new BsonArray(
              List.of(randomValue(random, depth - 1), new BsonRegularExpression("a\"b", "i")));
    };
  }

  /** Keeps what a source sends. */
  public static final class Kept implements Source.Receiver {
    public final Map<String, List<BsonDocument>> documents = new LinkedHashMap<>();
    public final List<String> ended = new ArrayList<>();

    @Override
    public void record(SourceCollection collection, SourceRecord record) throws IOException {
      documents
          .computeIfAbsent(collection.namespace().toString(), name -> new ArrayList<>())
          .add(record.document().toBsonDocument());
    }

    @Override
    public void end(SourceCollection collection) {
      ended.add(collection.namespace().toString());
    }
  }
}
