package dev.orrery.server.command.data;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonRegularExpression;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * Random filters with every operator, sorts, projections, and indexes of every kind, on a few
 * paths, so that filters meet indexes.
 */
final class RandomQueries {
  private static final List<String> PATHS =
      List.of(
          "a", "b", "c", "w", "a.b", "a.c", "a.b.c", "b.x", "c.b", "w.x", "w.y", "w.x.b", "a.0",
          "a.1.b", "a.b.0", "w.0", "k", "_id");

  private static final int CHOICE = 5;
  static final String COLLATION = "{locale: 'en', strength: 2}";
  private static final List<String> TYPES =
      List.of(
          "number",
          "string",
          "null",
          "array",
          "object",
          "bool",
          "int",
          "double",
          "long",
          "decimal",
          "undefined",
          "minKey",
          "maxKey",
          "date",
          "timestamp",
          "regex",
          "javascript",
          "symbol",
          "dbPointer",
          "binData",
          "objectId",
          "javascriptWithScope");
  private static final List<String> SCHEMAS =
      List.of(
          "{required: ['a']}",
          "{properties: {a: {bsonType: 'int'}}}",
          "{properties: {b: {minimum: 2}}, required: ['b']}");
  private final Random random;
  private final RandomValues values;
  private final List<String> paths = new ArrayList<>();

  RandomQueries(Random random, RandomValues values) {
    this.random = random;
    this.values = values;
    for (int i = 0; i < CHOICE; i++) {
      paths.add(any(PATHS));
    }
  }

  private static BsonDocument of(String name, BsonValue value) {
    return new BsonDocument(name, value);
  }

  private <T> T any(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  String path() {
    return any(paths);
  }

  BsonDocument filter(int depth) {
    if (depth > 0 && random.nextInt(3) == 0) {
      var clauses = new BsonArray();
      for (int i = 1 + random.nextInt(3); i > 0; i--) {
        clauses.add(filter(depth - 1));
      }
      BsonDocument filter = of(any(List.of("$and", "$or", "$or", "$nor")), clauses);
      if (random.nextInt(3) == 0) {
        filter.append(path(), condition(2));
      }
      return filter;
    }
    if (random.nextInt(10) == 0) {
      return random.nextInt(5) > 0
          ? of("$expr", new RandomExpressions(random, values, this::path).condition(2))
          : of("$jsonSchema", BsonDocument.parse(any(SCHEMAS)));
    }
    var filter = new BsonDocument();
    for (int i = random.nextInt(8) == 0 ? 0 : 1 + random.nextInt(2); i > 0; i--) {
      filter.append(path(), condition(2));
    }
    return filter;
  }

  private BsonValue condition(int depth) {
    int kind = random.nextInt(8);
    if (kind == 0) {
      return values.value(2);
    }
    if (kind == 1) {
      return values.scalar();
    }
    BsonDocument operators = operator(depth);
    if (random.nextInt(3) == 0) {
      operators.putAll(operator(depth));
    }
    return operators;
  }

  private BsonDocument operator(int depth) {
    return switch (random.nextInt(depth > 0 ? 24 : 16)) {
      case 0 -> of("$eq", values.value(2));
      case 1 -> of("$gt", values.value(1));
      case 2 -> of("$gte", values.value(1));
      case 3 -> of("$lt", values.value(1));
      case 4 -> of("$lte", values.value(1));
      case 5, 6 -> of("$in", operands());
      case 7 -> of("$nin", operands());
      case 8 -> of("$ne", values.value(1));
      case 9 -> of("$exists", BsonBoolean.valueOf(random.nextBoolean()));
      case 10 -> of("$type", types());
      case 11 -> of("$regex", regex());
      case 12 -> of("$mod", BsonArray.parse("[" + (1 + random.nextInt(3)) + ", 1]"));
      case 13 -> of("$size", new BsonInt32(random.nextInt(3)));
      case 14 -> of(any(List.of("$bitsAllSet", "$bitsAnyClear")), new BsonInt32(random.nextInt(5)));
      case 15 -> of("$gte", new BsonInt32(random.nextInt(6)));
      case 16 -> of("$all", new BsonArray(List.of(values.value(1), values.scalar())));
      case 17 -> of("$all", elementMatches(depth - 1));
      case 18, 19 -> of("$elemMatch", elements(depth - 1));
      case 20 -> of("$elemMatch", operator(depth - 1));
      case 21, 22 -> of("$not", operator(depth - 1));
      default -> of("$not", of("$elemMatch", elements(depth - 1)));
    };
  }

  private BsonDocument elements(int depth) {
    if (random.nextInt(6) == 0) {
      return of("$or", new BsonArray(List.of(elements(depth), elements(depth))));
    }
    var filter = new BsonDocument();
    for (String name : List.of("b", "c", "x", "b.c", "0")) {
      if (random.nextInt(4) == 0) {
        filter.append(name, condition(depth));
      }
    }
    return filter;
  }

  private BsonArray elementMatches(int depth) {
    return new BsonArray(
        List.of(of("$elemMatch", elements(depth)), of("$elemMatch", operator(depth))));
  }

  private BsonArray operands() {
    var operands = new BsonArray();
    for (int i = random.nextInt(5); i > 0; i--) {
      operands.add(values.value(1));
    }
    if (random.nextInt(5) == 0) {
      operands.add(regex());
    }
    return operands;
  }

  private BsonRegularExpression regex() {
    return new BsonRegularExpression(
        any(List.of("^ab", "^a", "b", "^ab*", "^", "a|b", "^a.c", "^(ab)", "^\\Qab\\E", "^ab\\b")),
        any(List.of("", "", "", "i", "s", "m", "x")));
  }

  private BsonArray types() {
    var types = new BsonArray();
    for (int i = 1 + random.nextInt(2); i > 0; i--) {
      types.add(new BsonString(any(TYPES)));
    }
    return types;
  }

  BsonDocument sort() {
    var sort = new BsonDocument();
    for (int i = 1 + random.nextInt(2); i > 0; i--) {
      sort.append(path(), direction());
    }
    return sort;
  }

  /** An inclusion as an index may cover it; {@code index} is the pattern of one. */
  BsonDocument projection(BsonDocument index) {
    var projection = new BsonDocument();
    for (String path : index.keySet()) {
      if (!path.contains("$") && random.nextInt(3) > 0) {
        projection.append(path, new BsonInt32(1));
      }
    }
    if (projection.isEmpty() || random.nextInt(6) == 0) {
      projection.append(any(List.of("a", "b", "c", "w.x")), new BsonInt32(1));
    }
    if (random.nextInt(4) > 0) {
      projection.append("_id", new BsonInt32(0));
    }
    return projection;
  }

  private BsonInt32 direction() {
    return new BsonInt32(random.nextInt(3) == 0 ? -1 : 1);
  }

  BsonDocument update() {
    return switch (random.nextInt(7)) {
      case 0 -> BsonDocument.parse("{$inc: {n: 1}}");
      case 1 -> of("$unset", of(any(List.of("a", "b", "w.x", "a.b")), new BsonInt32(1)));
      case 2 -> of("$push", of(any(List.of("a", "c")), values.value(1)));
      case 3 -> of("$set", of("a.b", values.value(2)));
      case 4 -> of("$set", of("w", values.value(2)));
      default -> of("$set", of(any(List.of("a", "b", "c", "w.y")), values.value(2)));
    };
  }

  /** A description for createIndexes, without its name. */
  BsonDocument index() {
    var index = of("key", key());
    BsonDocument key = index.getDocument("key");
    boolean isWildcard = key.keySet().stream().anyMatch(path -> path.contains("$**"));
    if (key.containsKey("$**")) {
      BsonDocument projection = wildcardProjection(key);
      if (projection != null) {
        index.append("wildcardProjection", projection);
      }
    }
    int option = random.nextInt(12);
    if (option == 0) {
      index.append("unique", BsonBoolean.TRUE);
    } else if (option == 1) {
      index.append("sparse", BsonBoolean.TRUE);
    } else if (option < 4 || (isWildcard && option == 4)) {
      index.append("partialFilterExpression", partial());
    } else if (option == 5 && key.size() == 1) {
      index.append("expireAfterSeconds", new BsonInt32(Integer.MAX_VALUE));
    } else if (option == 6) {
      index.append("hidden", BsonBoolean.TRUE);
    }
    if (random.nextInt(4) == 0) {
      index.append("collation", BsonDocument.parse(COLLATION));
    }
    return index;
  }

  private BsonDocument key() {
    return switch (random.nextInt(9)) {
      case 0 -> of(path(), direction());
      case 1 -> fields(new BsonDocument(), 2);
      case 2 -> fields(new BsonDocument(), 4);
      case 3 -> of(path(), new BsonString("hashed"));
      case 4 -> fields(fields(new BsonDocument(), 1).append("b", new BsonString("hashed")), 1);
      case 5 -> of(wildcard(), direction());
      default -> {
        BsonDocument key = fields(new BsonDocument(), random.nextInt(3));
        key.append(wildcard(), direction());
        yield fields(key, random.nextInt(2));
      }
    };
  }

  private BsonDocument fields(BsonDocument key, int count) {
    for (int i = 0; i < count; i++) {
      String path = path();
      if (!key.containsKey(path)) {
        key.append(path, direction());
      }
    }
    return key;
  }

  private String wildcard() {
    return any(List.of("$**", "$**", "w.$**", "a.$**", "w.x.$**"));
  }

  private BsonDocument wildcardProjection(BsonDocument key) {
    if (key.size() == 1) {
      return random.nextBoolean()
          ? null
          : BsonDocument.parse(
              any(
                  List.of(
                      "{a: 1}",
                      "{'w.x': 1, _id: 1}",
                      "{a: 0, 'w.x': 0}",
                      "{b: 0, _id: 1}",
                      "{a: {b: 1}}",
                      "{_id: 1, a: 1}",
                      "{'a.b': 0}")));
    }
    var projection = new BsonDocument();
    boolean isInclusion = random.nextInt(3) == 0;
    if (isInclusion) {
      return BsonDocument.parse(any(List.of("{w: 1}", "{'w.x': 1, a: 1}", "{'a.b': 1}")));
    }
    for (String path : key.keySet()) {
      if (!path.contains("$")) {
        projection.append(path, new BsonInt32(0));
      }
    }
    return projection;
  }

  private BsonDocument partial() {
    BsonDocument one = of(any(List.of("a", "b", "w.x", "k")), partialCondition());
    return switch (random.nextInt(5)) {
      case 0 -> one.append("c", partialCondition());
      case 1 -> of("$or", new BsonArray(List.of(one, of("b", partialCondition()))));
      case 2 -> of("$and", new BsonArray(List.of(one, of("c", partialCondition()))));
      default -> one;
    };
  }

  private BsonValue partialCondition() {
    return switch (random.nextInt(7)) {
      case 0 -> of("$exists", BsonBoolean.TRUE);
      case 1 -> of("$gt", values.scalar());
      case 2 -> of("$lte", values.scalar());
      case 3 -> of("$type", new BsonString(any(TYPES)));
      case 4 -> of("$in", new BsonArray(List.of(values.scalar(), values.scalar())));
      case 5 -> of("$gte", new BsonInt32(random.nextInt(4)));
      default -> values.scalar();
    };
  }
}
