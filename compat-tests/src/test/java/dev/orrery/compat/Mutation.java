package dev.orrery.compat;

import java.util.List;
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
import org.bson.BsonJavaScript;
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

/** A command with one thing in it changed: a value, a name, a level more, or a field less. */
final class Mutation {
  private static final List<String> NAMES =
      List.of("", "$", "a", "_id", "a.b", "$expr", "$gt", "$in", "$elemMatch", "$each", "x");

  private final Random random;
  private int countdown;

  Mutation(Random random) {
    this.random = random;
  }

  /** Leaves the command's name and its database alone. */
  BsonDocument mutate(BsonDocument command) {
    BsonDocument changed = command.clone();
    String name = command.getFirstKey();
    countdown = random.nextInt(Math.max(1, size(command) - 1));
    for (String field : command.keySet()) {
      if (!field.equals("$db") && !field.equals(name)) {
        put(changed, field, visit(command.get(field)));
      }
    }
    return changed;
  }

  private static int size(BsonValue value) {
    int size = 1;
    if (value.isDocument()) {
      for (BsonValue field : value.asDocument().values()) {
        size += size(field);
      }
    } else if (value.isArray()) {
      for (BsonValue element : value.asArray()) {
        size += size(element);
      }
    }
    return size;
  }

  /** What shall stand in the place of a value; null for nothing. */
  private BsonValue visit(BsonValue value) {
    if (countdown-- == 0) {
      return other(value);
    }
    if (value.isDocument()) {
      var copy = new BsonDocument();
      value.asDocument().forEach((name, field) -> put(copy, name, visit(field)));
      return copy;
    }
    if (value.isArray()) {
      var copy = new BsonArray();
      for (BsonValue element : value.asArray()) {
        BsonValue visited = visit(element);
        if (visited != null) {
          copy.add(visited);
        }
      }
      return copy;
    }
    return value;
  }

  private static void put(BsonDocument document, String name, BsonValue value) {
    if (value == null) {
      document.remove(name);
    } else {
      document.put(name, value);
    }
  }

  private BsonValue other(BsonValue value) {
    return switch (random.nextInt(10)) {
      case 0 -> null;
      case 1 -> new BsonArray(List.of(value));
      case 2 -> new BsonDocument(NAMES.get(random.nextInt(NAMES.size())), value);
      default -> value(random.nextInt(46));
    };
  }

  private static BsonValue value(int which) {
    return switch (which) {
      case 0 -> new BsonInt32(0);
      case 1 -> new BsonInt32(1);
      case 2 -> new BsonInt32(-1);
      case 3 -> new BsonInt32(Integer.MAX_VALUE);
      case 4 -> new BsonInt32(Integer.MIN_VALUE);
      case 5 -> new BsonInt64(5);
      case 6 -> new BsonInt64(Long.MAX_VALUE);
      case 7 -> new BsonInt64(Long.MIN_VALUE);
      case 8 -> new BsonDouble(1.5);
      case 9 -> new BsonDouble(Double.NaN);
      case 10 -> new BsonDouble(Double.POSITIVE_INFINITY);
      case 11 -> new BsonDouble(1e300);
      case 12 -> new BsonDouble(-0.0);
      case 13 -> new BsonDecimal128(Decimal128.parse("1E+6000"));
      case 14 -> new BsonDecimal128(Decimal128.NaN);
      case 15 -> new BsonDecimal128(Decimal128.parse("0.5"));
      case 16 -> new BsonDateTime(0);
      case 17 -> new BsonDateTime(Long.MAX_VALUE);
      case 18 -> new BsonTimestamp(1, 2);
      case 19 -> new BsonObjectId(new ObjectId("0123456789abcdef01234567"));
      case 20 -> new BsonBinary(new byte[] {1, 2, 3});
      case 21 -> new BsonRegularExpression("a");
      case 22 -> new BsonRegularExpression("(");
      case 23 -> new BsonJavaScript("x");
      case 24 -> new BsonSymbol("s");
      case 25 -> new BsonUndefined();
      case 26 -> new BsonMinKey();
      case 27 -> new BsonMaxKey();
      case 28 -> BsonNull.VALUE;
      case 29 -> BsonBoolean.TRUE;
      case 30 -> BsonBoolean.FALSE;
      case 31 -> new BsonArray();
      case 32 -> new BsonArray(List.of(new BsonArray()));
      case 33 -> new BsonDocument();
      default -> text(which - 34);
    };
  }

  private static BsonValue text(int which) {
    return switch (which) {
      case 0 -> new BsonString("");
      case 1 -> new BsonString("a");
      case 2 -> new BsonString("$a");
      case 3 -> new BsonString("$$ROOT");
      case 4 -> new BsonString("$$x");
      case 5 -> new BsonString("$");
      case 6 -> new BsonString("a..b");
      case 7 -> new BsonString("\u0000x");
      case 8 -> new BsonString("x".repeat(3_000));
      case 9 -> new BsonDocument("$gt", new BsonInt32(1));
      case 10 -> new BsonDocument("$unknown", new BsonInt32(1));
      default -> BsonDocument.parse("{$add: [1, 'x']}");
    };
  }
}
