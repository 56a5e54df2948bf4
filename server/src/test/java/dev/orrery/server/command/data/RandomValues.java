package dev.orrery.server.command.data;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDbPointer;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonJavaScript;
import org.bson.BsonJavaScriptWithScope;
import org.bson.BsonMaxKey;
import org.bson.BsonMinKey;
import org.bson.BsonNull;
import org.bson.BsonObjectId;
import org.bson.BsonRegularExpression;
import org.bson.BsonString;
import org.bson.BsonSymbol;
import org.bson.BsonTimestamp;
import org.bson.BsonUndefined;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.bson.types.ObjectId;

/**
 * Random values of every BSON type, and documents of them. Each chooses from a few only, so that
 * equal ones meet.
 */
final class RandomValues {
  private static final List<String> NAMES = List.of("b", "c", "x", "y");
  private static final List<BsonValue> EDGES = edges();

  private static final int CHOICE = 9;

  private final Random random;
  private final List<BsonValue> choice = new ArrayList<>();

  RandomValues(Random random) {
    this.random = random;
    for (int i = 0; i < CHOICE; i++) {
      choice.add(EDGES.get(random.nextInt(EDGES.size())));
    }
  }

  private static List<BsonValue> edges() {
    var values = new ArrayList<BsonValue>();
    for (double number :
        new double[] {0, -0.0, 1, 2.5, -3, Double.NaN, 0x1p53, 0x1p63, -0x1p63, 1e300, 5e-324}) {
      values.add(new BsonDouble(number));
    }
    values.add(new BsonDouble(Double.POSITIVE_INFINITY));
    values.add(new BsonDouble(Double.NEGATIVE_INFINITY));
    for (long number : new long[] {0, 1, 3, (1L << 53) + 1, Long.MAX_VALUE, Long.MIN_VALUE}) {
      values.add(new BsonInt64(number));
    }
    for (String number :
        List.of(
            "1", "2.5", "2.50", "-0", "0E-10", "NaN", "Infinity", "1E+6144", "1E-6176", "0.1")) {
      values.add(new BsonDecimal128(Decimal128.parse(number)));
    }
    for (String text :
        List.of("", "a", "A", "ab", "abc", "abd", "b\0c", "\0", "\u00e9", "e\u0301", "\uffff")) {
      values.add(new BsonString(text));
    }
    values.add(new BsonString("\ud83d\ude00"));
    values.add(new BsonSymbol("ab"));
    values.add(new BsonSymbol("A"));
    addOtherTypes(values);
    return List.copyOf(values);
  }

  private static void addOtherTypes(List<BsonValue> values) {
    values.add(BsonNull.VALUE);
    values.add(new BsonUndefined());
    values.add(new BsonMinKey());
    values.add(new BsonMaxKey());
    values.add(BsonBoolean.TRUE);
    values.add(BsonBoolean.FALSE);
    for (long date : new long[] {0, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
      values.add(new BsonDateTime(date));
    }
    for (long time : new long[] {1, 1L << 32, -1}) { // an insert sets 0 to the time
      values.add(new BsonTimestamp(time));
    }
    values.add(new BsonObjectId(new ObjectId(new byte[12])));
    values.add(new BsonObjectId(new ObjectId("ffffffffffffffffffffffff")));
    for (byte subtype : new byte[] {0, 2, 3, 4, 5, (byte) 128}) {
      values.add(new BsonBinary(subtype, new byte[] {2, 0, 0, 0, 1, 2})); // 2 has its own length
    }
    values.add(new BsonBinary(new byte[0]));
    values.add(new BsonRegularExpression("^ab"));
    values.add(new BsonRegularExpression("B", "i"));
    values.add(new BsonJavaScript("f"));
    values.add(new BsonJavaScript(""));
    values.add(new BsonJavaScriptWithScope("f", new BsonDocument("x", new BsonInt32(1))));
    values.add(new BsonDbPointer("db.c", new ObjectId(new byte[12])));
    values.add(new BsonDocument());
    values.add(new BsonArray());
  }

  /** No document and no array that holds something. */
  BsonValue scalar() {
    int kind = random.nextInt(10);
    if (kind < 4) {
      return new BsonInt32(random.nextInt(4));
    }
    return kind < 5 ? BsonNull.VALUE : choice.get(random.nextInt(choice.size()));
  }

  BsonValue value(int depth) {
    int kind = depth == 0 ? 0 : random.nextInt(10);
    if (kind < 6) {
      return scalar();
    }
    return kind < 8 ? nested(depth - 1) : array(depth - 1);
  }

  private BsonDocument nested(int depth) {
    var document = new BsonDocument();
    for (String name : NAMES) {
      if (random.nextInt(2) == 0) {
        document.append(name, value(depth));
      }
    }
    if (random.nextInt(40) == 0) {
      document.append(List.of("0", "", "b.c").get(random.nextInt(3)), value(depth));
    }
    return document;
  }

  BsonArray array(int depth) {
    var array = new BsonArray();
    for (int i = random.nextInt(4); i > 0; i--) {
      array.add(value(depth));
    }
    return array;
  }

  /** A document for a collection that may be partitioned by {@code k}. */
  BsonDocument document(int number) {
    var document = new BsonDocument("_id", id(number));
    document.append("k", new BsonInt32(random.nextInt(8)));
    for (String name : List.of("a", "b", "c", "w")) {
      if (random.nextInt(6) > 0) {
        document.append(name, value(random.nextInt(4)));
      }
    }
    if (random.nextInt(30) == 0) {
      document.append("d", deep(60));
    }
    return document;
  }

  /** Ids differ under every collation, so that a sort by them leaves nothing open. */
  private BsonValue id(int number) {
    return switch (random.nextInt(12)) {
      case 0 -> new BsonDouble(number + 0.5);
      case 1 -> new BsonDateTime(number);
      case 2 -> new BsonDocument("x", new BsonInt32(number));
      default -> new BsonInt32(number);
    };
  }

  private BsonValue deep(int levels) {
    BsonValue value = scalar();
    for (int i = 0; i < levels; i++) {
      value = new BsonDocument("b", value);
    }
    return value;
  }
}
